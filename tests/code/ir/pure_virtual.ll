; ptxas refuses the address of an undefined function: a pure virtual call traps instead.
; RUN: %tool %s --kernel k | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"
; CHECK: .func __cxa_pure_virtual
; CHECK: trap;
@_ZTV4Base = linkonce_odr addrspace(1) constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @__cxa_pure_virtual] }, align 8
declare void @__cxa_pure_virtual()
define ptx_kernel void @k(ptr %out) {
  store ptr addrspacecast (ptr addrspace(1) @_ZTV4Base to ptr), ptr %out
  ret void
}
