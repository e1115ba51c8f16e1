target triple = "nvptx64-nvidia-cuda"
@hidden = internal addrspace(1) global i32 2, align 4
@shared = addrspace(1) externally_initialized global i32 3, align 4
declare i32 @deeper(i32)
define i32 @choose() {
  ret i32 20
}
define i32 @helper(i32 %x) {
  %h = load i32, ptr addrspace(1) @hidden
  %d = call i32 @deeper(i32 %h)
  ret i32 %d
}
define i32 @second(i32 %x) {
  %h = load i32, ptr addrspace(1) @hidden
  %r = add i32 %x, %h
  ret i32 %r
}
define i32 @not_needed() {
  ret i32 0
}
