; SPDX-License-Identifier: Apache-2.0
; Source of kernel_gfx90a.hsaco: mneme_codegen_tool --kernel k --arch gfx90a --max-threads 256 --stage image
target triple = "amdgcn-amd-amdhsa"
@tile = internal addrspace(3) global [64 x float] poison, align 4
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %x) {
  %p = getelementptr [64 x float], ptr addrspace(3) @tile, i32 0, i32 %x
  store float 1.0, ptr addrspace(3) %p
  fence syncscope("workgroup") acq_rel
  %q = getelementptr [64 x float], ptr addrspace(3) @tile, i32 0, i32 3
  %v = load float, ptr addrspace(3) %q
  store float %v, ptr addrspace(1) %out
  ret void
}
