; Before LLVM 21, metadata said which functions are kernels and what bounds them.
; RUN: %tool %s --kernel k | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"
; CHECK: .entry k(
; CHECK: .maxntid 64
define void @k(ptr %out) {
  store i32 1, ptr %out
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @k, !"maxntidx", i32 64}
