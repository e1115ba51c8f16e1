; Pipelines by name and by text, -mllvm options, and what is refused.
; RUN: %tool %s --kernel k --pipeline "default<O0>" --stage optimised | %FileCheck %s --check-prefix=O0
; RUN: %tool %s --kernel k --pipeline "default<Os>" --stage optimised | %FileCheck %s --check-prefix=O2
; RUN: %tool %s --kernel k --pipeline "function(sroa)" --stage optimised | %FileCheck %s --check-prefix=SROA
; RUN: %not %tool %s --kernel k --pipeline "default<O9>" 2>&1 | %FileCheck %s --check-prefix=BAD
; RUN: %tool %s --kernel k --mllvm nvptx-sched4reg --mllvm --unroll-threshold=10 --stage optimised | %FileCheck %s --check-prefix=O2
; RUN: %not %tool %s --kernel k --mllvm nosuch 2>&1 | %FileCheck %s --check-prefix=OPTION
; RUN: %not %tool %s --kernel k --mllvm help 2>&1 | %FileCheck %s --check-prefix=HELP
; RUN: %not %tool %s --kernel k --mllvm unroll-threshold=many 2>&1 | %FileCheck %s --check-prefix=VALUE
target triple = "nvptx64-nvidia-cuda"
; O0: alloca
; O0: call i32 @twice
; O2-NOT: alloca
; O2: shl i32 %x, 1
; SROA-NOT: alloca
; SROA: call i32 @twice
; BAD: error: pipeline default<O9>:
; OPTION: error: LLVM has no option -nosuch that can be set here
; HELP: error: LLVM has no option -help that can be set here
; VALUE: error: LLVM refuses -unroll-threshold=many
define internal i32 @twice(i32 %x) {
  %y = add i32 %x, %x
  ret i32 %y
}
define ptx_kernel void @k(ptr %out, i32 %x) {
  %slot = alloca i32
  store i32 %x, ptr %slot
  %v = load i32, ptr %slot
  %t = call i32 @twice(i32 %v)
  store i32 %t, ptr %out
  ret void
}
