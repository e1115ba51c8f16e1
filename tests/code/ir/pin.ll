; A pinned variable is its address, in global space; constant memory stays a symbol; tables of functions are not pinned.
; RUN: %tool %s --kernel k --pin _Z7counter=0x7f0000001000 --pin table=0x7f0000002000 --pin scale=0x7f0000003000 --pin handlers=0x7f0000004000 --pin elsewhere=1 --stage prepared | %FileCheck %s --check-prefix=PREPARED
; RUN: %tool %s --kernel k --pin counter=0x7f0000001000 --pin table=0x7f0000002000 | %FileCheck %s
; RUN: %tool %s --kernel k --pin table=0x7f0000002000 --pin scale=1 --pin handlers=2 --pin elsewhere=3 --stage summary | %FileCheck %s --check-prefix=SUMMARY
target triple = "nvptx64-nvidia-cuda"
; PREPARED-NOT: @table
; PREPARED-DAG: @scale = dso_local addrspace(4) externally_initialized constant float
; PREPARED-DAG: @handlers = dso_local addrspace(1) externally_initialized global [1 x ptr] [ptr @handler]
; PREPARED-DAG: @into = dso_local addrspace(1) externally_initialized global ptr {{.*}}139637976735744
; PREPARED: load i32, ptr addrspace(1) inttoptr (i64 139637976735744 to ptr addrspace(1))
; CHECK-NOT: .global {{.*}}table
; CHECK: .global .align 8 .u64 into = 139637976735744+8;
; CHECK: mov.b64 %rd[[BASE:[0-9]+]], 139637976735744;
; CHECK: ld.global.b32 %r{{[0-9]+}}, [%rd[[BASE]]];
; CHECK-NOT: ld.const{{.*}}139637
; SUMMARY-DAG: variable table (table) 64 bytes pinned
; SUMMARY-DAG: variable scale (scale) 4 bytes constant
; SUMMARY-DAG: variable handlers (handlers) 8 bytes code
; SUMMARY-DAG: not pinned: scale is constant memory
; SUMMARY-DAG: not pinned: handlers holds addresses of functions
; SUMMARY-DAG: not pinned: the kernel does not use elsewhere
@table = addrspace(1) externally_initialized global [16 x i32] zeroinitializer, align 4
@into = addrspace(1) externally_initialized global ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 8), align 8
@scale = addrspace(4) externally_initialized constant float 0.0, align 4
@handlers = internal addrspace(1) global [1 x ptr] [ptr @handler], align 8
define internal void @handler(ptr %out) {
  store i32 1, ptr %out
  ret void
}
define ptx_kernel void @k(ptr %out) {
  %a = load i32, ptr addrspace(1) @table
  store volatile i32 %a, ptr %out
  %p = load ptr, ptr addrspace(1) @into
  %b = load i32, ptr %p
  store volatile i32 %b, ptr %out
  %s = load float, ptr addrspace(4) @scale
  store float %s, ptr %out
  %f = load ptr, ptr addrspace(1) @handlers
  call void %f(ptr %out)
  ret void
}
