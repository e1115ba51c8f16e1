target triple = "nvptx64-nvidia-cuda"
declare i32 @back(i32)
declare i32 @second(i32)
define i32 @deeper(i32 %x) {
  %b = call i32 @back(i32 %x)
  %s = call i32 @second(i32 %b)
  ret i32 %s
}
