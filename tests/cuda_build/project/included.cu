// SPDX-License-Identifier: Apache-2.0
#include "included.h"
__global__ void included(float* a) { *a += MY_INCLUDED + sizeof(MY_IN_FILE); }
