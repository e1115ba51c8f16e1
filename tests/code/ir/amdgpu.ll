; AMD: a code object by lld, for gfx906 and gfx90a, versions 4 and 5, with bounds and pins.
; RUN: %tool %s --kernel k --arch gfx90a --stage summary | %FileCheck %s
; RUN: %tool %s --kernel k --arch gfx906 --code-object 4 --stage image | %bin/llvm-readelf -h --notes - | %FileCheck %s --check-prefix=V4
; RUN: %tool %s --kernel k --arch gfx90a --code-object 5 --stage image | %bin/llvm-readelf -h --notes - | %FileCheck %s --check-prefix=V5
; RUN: %tool %s --kernel k --arch gfx90a --pin counter=0x7f0000001000 --block 64,1,1 --min-waves 2 --stage prepared | %FileCheck %s --check-prefix=PREPARED
target triple = "amdgcn-amd-amdhsa"
; CHECK: kernel k, 0 bytes of PTX, {{[1-9][0-9]*}} bytes of image
; CHECK: parameter at 0, 8 bytes
; CHECK: parameter at 8, 4 bytes
; CHECK: variable counter (counter) 4 bytes
; V4: ABI Version: 2
; V4: amdgcn-amd-amdhsa--gfx906
; V5: ABI Version: 3
; V5: .name: k
; PREPARED: inttoptr (i64 139637976731648 to ptr addrspace(1))
; PREPARED: "amdgpu-flat-work-group-size"="64,64" "amdgpu-waves-per-eu"="2"
@counter = internal addrspace(1) global i32 0, align 4
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %x) {
  %c = load i32, ptr addrspace(1) @counter
  %s = add i32 %c, %x
  store i32 %s, ptr addrspace(1) %out
  ret void
}
