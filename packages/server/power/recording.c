// Records every change of the files below POWER_ROOT into the file POWER_RECORD, in the order in which the
// process makes them. Preloaded into a server, it is the disk's point of view: what was written, and what
// was synchronised before what. `recording.ts` reads the record.
//
// A synchronisation is recorded and not performed: a crash image is built from the record, not from a disk.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { CREATE = 1, WRITE, TRUNCATE, SYNC, SYNC_FOLDER, UNLINK, RENAME, LINK, MKDIR };

struct entry {
  uint64_t inode;
  uint64_t offset;
  uint32_t kind;
  uint32_t length;
};

enum { DESCRIPTORS = 65536 };

// The recorded file or folder that a descriptor was opened on; 0: none.
static uint64_t inodes[DESCRIPTORS];
// The path of a folder; NULL for a file.
static char *folders[DESCRIPTORS];
static char appends[DESCRIPTORS];

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static const char *root;
static size_t root_length;
static int record = -1;

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = dlsym(RTLD_NEXT, #name)

static void fail(const char *what) {
  dprintf(2, "recording: %s: %s\n", what, strerror(errno));
  abort();
}

__attribute__((constructor)) static void begin(void) {
  root = getenv("POWER_ROOT");
  const char *name = getenv("POWER_RECORD");
  if (!root || !name) return;
  root_length = strlen(root);
  int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
  record = real_open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (record < 0) fail(name);
}

static int is_recorded(const char *path) {
  return record >= 0 && strncmp(path, root, root_length) == 0 &&
         (path[root_length] == '/' || path[root_length] == 0);
}

static void note(enum kind kind, uint64_t inode, uint64_t offset, const void *data, size_t length) {
  struct entry entry = {inode, offset, kind, length};
  struct iovec parts[2] = {{&entry, sizeof entry}, {(void *)data, length}};
  ssize_t (*real_writev)(int, const struct iovec *, int) = dlsym(RTLD_NEXT, "writev");
  if (real_writev(record, parts, 2) != (ssize_t)(sizeof entry + length)) fail("record");
}

static void note_path(enum kind kind, uint64_t inode, const char *path) {
  note(kind, inode, 0, path, strlen(path));
}

// Two paths are one text with a zero between them.
static void note_paths(enum kind kind, const char *from, const char *to) {
  char both[2 * 4096];
  size_t first = strlen(from) + 1, second = strlen(to);
  if (first + second > sizeof both) fail("path");
  memcpy(both, from, first);
  memcpy(both + first, to, second);
  note(kind, 0, 0, both, first + second);
}

// libuv closes descriptors by a system call of its own, so a remembered descriptor may be outdated.
static uint64_t recorded_inode(int fd) {
  if (fd < 0 || fd >= DESCRIPTORS || !inodes[fd]) return 0;
  struct stat facts;
  int is_known = fstat(fd, &facts) == 0 && facts.st_ino == inodes[fd] &&
                 (folders[fd] ? S_ISDIR(facts.st_mode) : S_ISREG(facts.st_mode));
  if (!is_known) inodes[fd] = 0;
  return inodes[fd];
}

static void remember(int fd, const char *path, int existed, int flags) {
  if (fd >= DESCRIPTORS) fail("descriptor");
  struct stat facts;
  if (fstat(fd, &facts) != 0) fail(path);
  int is_folder = S_ISDIR(facts.st_mode);
  inodes[fd] = facts.st_ino;
  folders[fd] = is_folder ? strdup(path) : 0;
  if (is_folder) return;
  appends[fd] = (flags & O_APPEND) != 0;
  if (!existed) note_path(CREATE, facts.st_ino, path);
  else if (flags & O_TRUNC) note(TRUNCATE, facts.st_ino, 0, "", 0);
}

static int open_recorded(const char *path, int flags, mode_t mode) {
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
  if (!is_recorded(path)) return real(path, flags, mode);
  pthread_mutex_lock(&order);
  int existed = access(path, F_OK) == 0;
  int fd = real(path, flags, mode);
  int reason = errno;
  if (fd >= 0) remember(fd, path, existed, flags);
  pthread_mutex_unlock(&order);
  errno = reason;
  return fd;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return open_recorded(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (path[0] == '/') return open_recorded(path, flags, mode); \
    return real(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int fd) {
  REAL(close);
  if (fd >= 0 && fd < DESCRIPTORS) inodes[fd] = 0;
  return real(fd);
}

// Notes what a write has written, where it begins.
#define RECORDED_WRITE(call, data, position) \
  uint64_t inode = recorded_inode(fd); \
  if (!inode) return call; \
  pthread_mutex_lock(&order); \
  int64_t at = position; \
  ssize_t written = call; \
  int reason = errno; \
  if (written > 0) note(WRITE, inode, at, data, written); \
  pthread_mutex_unlock(&order); \
  errno = reason; \
  return written

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  REAL(pwrite64);
  RECORDED_WRITE(real(fd, data, length, offset), data, offset);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  return pwrite64(fd, data, length, offset);
}

ssize_t write(int fd, const void *data, size_t length) {
  REAL(write);
  RECORDED_WRITE(real(fd, data, length), data, lseek(fd, 0, appends[fd] ? SEEK_END : SEEK_CUR));
}

// Splits into several writes, each with an entry of its own.
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  if (!recorded_inode(fd)) return real(fd, parts, count);
  ssize_t total = 0;
  for (int index = 0; index < count; index += 1) {
    ssize_t written = write(fd, parts[index].iov_base, parts[index].iov_len);
    if (written < 0) return total > 0 ? total : written;
    total += written;
    if ((size_t)written < parts[index].iov_len) break;
  }
  return total;
}

int ftruncate64(int fd, off64_t length) {
  REAL(ftruncate64);
  uint64_t inode = recorded_inode(fd);
  if (!inode) return real(fd, length);
  pthread_mutex_lock(&order);
  int result = real(fd, length);
  if (result == 0) note(TRUNCATE, inode, length, "", 0);
  pthread_mutex_unlock(&order);
  return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int synchronise(int fd, int (*real)(int)) {
  uint64_t inode = recorded_inode(fd);
  if (!inode) return real(fd);
  pthread_mutex_lock(&order);
  if (folders[fd]) note_path(SYNC_FOLDER, 0, folders[fd]);
  else note(SYNC, inode, 0, "", 0);
  pthread_mutex_unlock(&order);
  return 0;
}

int fsync(int fd) {
  REAL(fsync);
  return synchronise(fd, real);
}

int fdatasync(int fd) {
  REAL(fdatasync);
  return synchronise(fd, real);
}

#define CHANGE(recorded, call, noting) \
  if (!(recorded)) return call; \
  pthread_mutex_lock(&order); \
  int result = call; \
  int reason = errno; \
  if (result == 0) noting; \
  pthread_mutex_unlock(&order); \
  errno = reason; \
  return result

int unlink(const char *path) {
  REAL(unlink);
  CHANGE(is_recorded(path), real(path), note_path(UNLINK, 0, path));
}

int unlinkat(int folder, const char *path, int flags) {
  REAL(unlinkat);
  CHANGE(is_recorded(path), real(folder, path, flags), note_path(UNLINK, 0, path));
}

int rename(const char *from, const char *to) {
  REAL(rename);
  CHANGE(is_recorded(from), real(from, to), note_paths(RENAME, from, to));
}

int link(const char *from, const char *to) {
  REAL(link);
  CHANGE(is_recorded(from), real(from, to), note_paths(LINK, from, to));
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  CHANGE(is_recorded(path), real(path, mode), note_path(MKDIR, 0, path));
}
