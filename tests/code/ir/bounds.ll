; Launch bounds; those that the source wrote stay where nothing else is asked for.
; RUN: %tool %s --kernel k --max-threads 256 --min-blocks 3 --max-registers 40 --cluster 2,1,1 | %FileCheck %s
; RUN: %tool %s --kernel k | %FileCheck %s --check-prefix=WRITTEN
target triple = "nvptx64-nvidia-cuda"
; CHECK-DAG: .maxntid 256
; CHECK-DAG: .minnctapersm 3
; CHECK-DAG: .maxnreg 40
; CHECK-DAG: .reqnctapercluster 2, 1, 1
; WRITTEN: .maxntid 512
; WRITTEN-NOT: minnctapersm
define ptx_kernel void @k(ptr %out) #0 {
  store i32 1, ptr %out
  ret void
}
attributes #0 = { "nvvm.maxntid"="512" }
