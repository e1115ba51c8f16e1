// SPDX-License-Identifier: Apache-2.0
/// Keeps libraries that are injected into programs loadable with glibc 2.28: each function below would otherwise be taken
/// from a newer version of the C library. Hidden definitions of the same names go to the old versions instead.
#define _GNU_SOURCE
#define _dl_find_object mneme_declared_dl_find_object
#include <dlfcn.h>
#undef _dl_find_object
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#define STAT_VERSION 1
#else
#define OLDEST "GLIBC_2.17"
#define STAT_VERSION 0
#endif

#define HIDDEN __attribute__((visibility("hidden"), used))

/* Makes `name` call the C library's oldest version of it. */
#define FORWARD(result, name, parameters, arguments)             \
  extern result mneme_old_##name parameters;                     \
  __asm__(".symver mneme_old_" #name ", " #name "@" OLDEST);     \
  HIDDEN result name parameters { return mneme_old_##name arguments; }

FORWARD(void*, dlopen, (const char* file, int flags), (file, flags))
FORWARD(void*, dlsym, (void* handle, const char* name), (handle, name))
FORWARD(char*, dlerror, (void), ())
FORWARD(int, dladdr, (const void* address, Dl_info* info), (address, info))
FORWARD(int, pthread_create, (pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*), void* with),
        (thread, how, run, with))
FORWARD(int, pthread_detach, (pthread_t thread), (thread))
FORWARD(int, pthread_join, (pthread_t thread, void** result), (thread, result))
FORWARD(int, pthread_key_create, (pthread_key_t* key, void (*destroy)(void*)), (key, destroy))
FORWARD(int, pthread_key_delete, (pthread_key_t key), (key))
FORWARD(void*, pthread_getspecific, (pthread_key_t key), (key))
FORWARD(int, pthread_setspecific, (pthread_key_t key, const void* value), (key, value))
FORWARD(int, pthread_once, (pthread_once_t* control, void (*run)(void)), (control, run))
FORWARD(int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* old), (how, set, old))

HIDDEN int __pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) { return pthread_key_create(key, destroy); }

extern int mneme_old___xstat(int version, const char* path, struct stat* status);
extern int mneme_old___lxstat(int version, const char* path, struct stat* status);
extern int mneme_old___fxstat(int version, int file, struct stat* status);
__asm__(".symver mneme_old___xstat, __xstat@" OLDEST);
__asm__(".symver mneme_old___lxstat, __lxstat@" OLDEST);
__asm__(".symver mneme_old___fxstat, __fxstat@" OLDEST);
HIDDEN int stat(const char* path, struct stat* status) { return mneme_old___xstat(STAT_VERSION, path, status); }
HIDDEN int lstat(const char* path, struct stat* status) { return mneme_old___lxstat(STAT_VERSION, path, status); }
HIDDEN int fstat(int file, struct stat* status) { return mneme_old___fxstat(STAT_VERSION, file, status); }
/* 64-bit systems have one layout for both. */
HIDDEN int stat64(const char* path, struct stat64* status) { return stat(path, (struct stat*)status); }
HIDDEN int lstat64(const char* path, struct stat64* status) { return lstat(path, (struct stat*)status); }
HIDDEN int fstat64(int file, struct stat64* status) { return fstat(file, (struct stat*)status); }

/* libstdc++ leaves atomics out where this says that there is one thread; that is never known here. */
HIDDEN char __libc_single_threaded = 0;

/* The deadline of another clock becomes one of the clock that condition variables have by default. */
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  struct timespec now, wall;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  const long long kSecond = 1000000000LL;
  const long long left = (until->tv_sec - now.tv_sec) * kSecond + until->tv_nsec - now.tv_nsec;
  const long long at = wall.tv_sec * kSecond + wall.tv_nsec + left;
  const struct timespec deadline = {at / kSecond, at % kSecond};
  return pthread_cond_timedwait(condition, mutex, &deadline);
}

HIDDEN uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}

/* How libgcc finds the unwind table of an address from glibc 2.35 on; the layout is that of <dlfcn.h>. */
struct found_object {
  unsigned long long flags;
  void *map_start, *map_end;
  struct link_map* link_map;
  void* eh_frame;
  unsigned long long reserved[7];
};

struct search {
  uintptr_t address;
  struct found_object* found;
};

static int look(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  struct search* search = data;
  int inside = 0;
  void* eh_frame = NULL;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && search->address >= begin && search->address - begin < segment->p_memsz) {
      inside = 1;
      search->found->map_start = (void*)begin;
      search->found->map_end = (void*)(begin + segment->p_memsz);
    }
    if (segment->p_type == PT_GNU_EH_FRAME) eh_frame = (void*)begin;
  }
  if (!inside || !eh_frame) return 0;
  search->found->eh_frame = eh_frame;
  return 1;
}

HIDDEN int _dl_find_object(void* address, struct found_object* found) {
  memset(found, 0, sizeof *found);
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
