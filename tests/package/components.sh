# SPDX-License-Identifier: Apache-2.0
# Components are the back-ends of the install; version compatibility.
mkdir p
head='cmake_minimum_required(VERSION 3.25)
project(test LANGUAGES CXX)'
printf '%s\nfind_package(Mneme REQUIRED COMPONENTS host)\nfind_package(Mneme 0.1 REQUIRED)' "$head" > p/CMakeLists.txt
configure p b
printf '%s\nfind_package(Mneme REQUIRED COMPONENTS host opencl)' "$head" > p/CMakeLists.txt
refuses 'has no back-end "opencl": there is no such back-end; known are host, cuda and hip' p
for backend in cuda hip; do
  "$mneme" version | grep -qw $backend && continue
  printf '%s\nfind_package(Mneme REQUIRED COMPONENTS %s)' "$head" $backend > p/CMakeLists.txt
  refuses "has no back-end \"$backend\": rebuild Mneme with" p
done
printf '%s\nfind_package(Mneme OPTIONAL_COMPONENTS opencl)\nif(NOT Mneme_FOUND OR Mneme_opencl_FOUND)\nmessage(FATAL_ERROR x)\nendif()' "$head" > p/CMakeLists.txt
configure p c
printf '%s\nfind_package(Mneme 0.2 REQUIRED)' "$head" > p/CMakeLists.txt
refuses 'compatible with requested version "0.2"' p
