; A value that another kernel sets is never folded: clang emits static variables internal and not externally initialised.
; RUN: %tool %s --kernel reads --stage prepared | %FileCheck %s --check-prefix=PREPARED
; RUN: %tool %s --kernel reads | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"
; PREPARED-DAG: @_ZL7counter = dso_local addrspace(1) externally_initialized global i32 0
; PREPARED-DAG: @"dotted_$_name" = dso_local addrspace(1) externally_initialized global i32 3
; PREPARED-DAG: @pair = dso_local addrspace(1) externally_initialized global { i32, i32 } zeroinitializer
; PREPARED-DAG: @_ZL4zero = dso_local addrspace(4) externally_initialized constant i32 0
; PREPARED-DAG: @_ZL5table = internal addrspace(4) constant i32 7
; PREPARED-NOT: @unused
; PREPARED-NOT: define{{.*}}@sets
; CHECK: .global .align 4 .u32 _ZL7counter
; CHECK: ld.global.b32 {{.*}}[_ZL7counter]
; CHECK: ld.global.b32 {{.*}}[pair+4]
; CHECK: ld.const.b32 {{.*}}[_ZL4zero]
@_ZL7counter = internal addrspace(1) global i32 0, align 4
@dotted.name = internal addrspace(1) global i32 3, align 4
@pair = internal addrspace(1) global { i32, i32 } zeroinitializer, align 4
@unused = internal addrspace(1) global i32 0, align 4
@_ZL4zero = internal addrspace(4) constant i32 0, align 4
@_ZL5table = internal addrspace(4) constant i32 7, align 4
define ptx_kernel void @reads(ptr %out) {
  %a = load i32, ptr addrspace(1) @_ZL7counter
  %b = load i32, ptr addrspace(1) @dotted.name
  %c = load i32, ptr addrspace(1) getelementptr inbounds ({ i32, i32 }, ptr addrspace(1) @pair, i64 0, i32 1)
  %d = load i32, ptr addrspace(4) @_ZL4zero
  %e = load i32, ptr addrspace(4) @_ZL5table
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  %abcd = add i32 %abc, %d
  %all = add i32 %abcd, %e
  store i32 %all, ptr %out
  ret void
}
define ptx_kernel void @sets() {
  store i32 5, ptr addrspace(1) @_ZL7counter
  store i32 5, ptr addrspace(1) @unused
  ret void
}
