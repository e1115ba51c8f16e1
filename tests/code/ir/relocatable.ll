; Several modules: what the kernel misses is pulled, strong beats weak, equal internal names stay two variables, and a
; module asked twice gives one variable. What nobody has is listed with the modules searched.
; RUN: %tool %s %S/Inputs/helper.ll %S/Inputs/deeper.ll --kernel k --stage prepared | %FileCheck %s
; RUN: %tool %S/Inputs/deeper.ll %S/Inputs/helper.ll %s --kernel k --stage prepared | %FileCheck %s
; RUN: %not %tool %s %S/Inputs/helper.ll --kernel k 2>&1 | %FileCheck %s --check-prefix=MISSING
; RUN: %not %tool %s --kernel nosuch 2>&1 | %FileCheck %s --check-prefix=KERNEL
target triple = "nvptx64-nvidia-cuda"
; CHECK-DAG: @hidden{{(__mneme[0-9])?}} = dso_local addrspace(1) externally_initialized global i32 1,
; CHECK-DAG: @hidden{{(__mneme[0-9])?}} = dso_local addrspace(1) externally_initialized global i32 2,
; CHECK-DAG: @shared = dso_local addrspace(1) externally_initialized global i32 3,
; CHECK-NOT: i32 2,
; CHECK-DAG: define internal i32 @choose() {{.*}}
; CHECK-DAG: ret i32 20
; CHECK-DAG: define internal i32 @helper(
; CHECK-DAG: define internal i32 @deeper(
; CHECK-NOT: @not_needed
; CHECK-NOT: ret i32 10
; MISSING: error: the kernel needs deeper, which no bitcode defines (searched: {{.*}}relocatable.ll {{.*}}helper.ll)
; KERNEL: error: no bitcode for kernel nosuch (searched: {{.*}}relocatable.ll)
@hidden = internal addrspace(1) global i32 1, align 4
@shared = external addrspace(1) global i32
declare i32 @helper(i32)
define weak i32 @choose() {
  ret i32 10
}
define i32 @back(i32 %x) {
  %h = load i32, ptr addrspace(1) @hidden
  %r = add i32 %x, %h
  ret i32 %r
}
define ptx_kernel void @k(ptr %out) {
  %h = load i32, ptr addrspace(1) @hidden
  %s = load i32, ptr addrspace(1) @shared
  %a = call i32 @helper(i32 %h)
  %b = call i32 @choose()
  %ab = add i32 %a, %b
  %abs = add i32 %ab, %s
  store i32 %abs, ptr %out
  ret void
}
