; Unrolling as asked for, against the optimiser's own choice and against the program's pragma.
; RUN: %tool %s --kernel k --unroll 1 | %FileCheck %s --check-prefix=ONE
; RUN: %tool %s --kernel k --unroll 4 | %FileCheck %s --check-prefix=FOUR
; RUN: %tool %s --kernel k --unroll 4294967295 --fold 1=03000000 --stage optimised | %FileCheck %s --check-prefix=FULL
; RUN: %tool %s --kernel k --unroll 4 --vector-width 1 --stage prepared | %FileCheck %s --check-prefix=HINTS
target triple = "nvptx64-nvidia-cuda"
; ONE-COUNT-1: atom.global.add
; ONE-NOT: atom.global.add
; FOUR-COUNT-5: atom.global.add
; FULL-COUNT-3: atomicrmw add
; FULL-NOT: atomicrmw add
; HINTS-DAG: !"llvm.loop.unroll.count", i32 4
; HINTS-DAG: !"llvm.loop.vectorize.width", i32 1
; HINTS-DAG: !"llvm.loop.mustprogress"
; HINTS-NOT: !"llvm.loop.unroll.disable"
define ptx_kernel void @k(ptr %x, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %next = add i32 %i, 1
  %old = atomicrmw add ptr %x, i32 %next monotonic
  store volatile i32 %old, ptr %x
  br label %head, !llvm.loop !0
done:
  ret void
}
!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.mustprogress"}
!2 = !{!"llvm.loop.unroll.disable"}
