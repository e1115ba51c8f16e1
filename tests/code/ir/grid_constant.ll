; A grid constant stays in parameter space: its address is the parameter's, not a local copy's.
; RUN: %tool %s --kernel k | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"
; CHECK-NOT: .local
; CHECK: cvta.param.u64
; CHECK-NOT: .local
%map = type { [16 x i64] }
define ptx_kernel void @k(ptr byval(%map) align 64 "nvvm.grid_constant" %p, ptr %out) {
  store ptr %p, ptr %out
  ret void
}
