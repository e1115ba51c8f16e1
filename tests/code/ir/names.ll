; nvcc's names find clang's kernels and variables.
; RUN: %tool %s --kernel _Z4statPi --pin gstat=0x1000 --stage summary | %FileCheck %s
; RUN: %tool %s --kernel __nv_static_21__c0cc183a_4_n_cu_main__Z4statPi --stage summary | %FileCheck %s --check-prefix=RDC
; RUN: %tool %s --kernel _ZN32_GLOBAL__N__c0cc183a_4_n_cu_main4anonEPi --stage summary | %FileCheck %s --check-prefix=ANON
target triple = "nvptx64-nvidia-cuda"
; CHECK: kernel _ZL4statPi
; CHECK: variable _ZL5gstat (_ZL5gstat) 4 bytes pinned
; CHECK: kernel _Z4statPi is _ZL4statPi in the bitcode
; RDC: kernel _ZL4statPi
; ANON: kernel _ZN12_GLOBAL__N_14anonEPi
@_ZL5gstat = internal addrspace(1) global i32 0, align 4
define ptx_kernel void @_ZL4statPi(ptr %out) {
  %v = load i32, ptr addrspace(1) @_ZL5gstat
  store i32 %v, ptr %out
  ret void
}
define ptx_kernel void @_ZN12_GLOBAL__N_14anonEPi(ptr %out) {
  store i32 1, ptr %out
  ret void
}
