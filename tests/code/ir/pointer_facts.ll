; What a recording showed of a pointer, as an opt-in.
; RUN: %tool %s --kernel k --fact 0,16,4096,1 --stage prepared | %FileCheck %s
; RUN: %tool %s --kernel k --fact 0,16,4096,1 --fact 1,16,64,1 | %FileCheck %s --check-prefix=VECTOR
; RUN: %tool %s --kernel k | %FileCheck %s --check-prefix=PLAIN
; RUN: %not %tool %s --kernel k --fact 0,12,0,0 2>&1 | %FileCheck %s --check-prefix=POWER
; RUN: %not %tool %s --kernel k --fact 2,16,0,0 2>&1 | %FileCheck %s --check-prefix=POINTER
target triple = "nvptx64-nvidia-cuda"
; CHECK: @k(ptr noalias align 16 dereferenceable(4096) %out, ptr %in
; VECTOR: ld.global{{.*}}.v4.b32
; PLAIN-NOT: v4
; POWER: error: specialising k: an alignment is a power of two, not 12
; POINTER: error: specialising k: parameter 2 is no pointer
define ptx_kernel void @k(ptr %out, ptr %in, i32 %n) {
  %i1 = getelementptr i32, ptr %in, i64 1
  %i2 = getelementptr i32, ptr %in, i64 2
  %i3 = getelementptr i32, ptr %in, i64 3
  %o1 = getelementptr i32, ptr %out, i64 1
  %o2 = getelementptr i32, ptr %out, i64 2
  %o3 = getelementptr i32, ptr %out, i64 3
  %a = load i32, ptr %in
  store i32 %a, ptr %out
  %b = load i32, ptr %i1
  store i32 %b, ptr %o1
  %c = load i32, ptr %i2
  store i32 %c, ptr %o2
  %d = load i32, ptr %i3
  store i32 %d, ptr %o3
  ret void
}
