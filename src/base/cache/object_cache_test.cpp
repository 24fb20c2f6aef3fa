// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/cache/object_cache.h"

#include "base/cache/version.h"
#include "base/machine/cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <set>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace heddle {
namespace {

namespace fs = std::filesystem;

class ObjectCacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "heddle-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  ObjectCache cacheOf(uint64_t maxBytes) const { return ObjectCache({directory_, maxBytes}); }

  static Hash128 key(unsigned number) { return hashOf({bytesOf(number)}); }
  static std::vector<uint8_t> bytes(size_t size, uint8_t fill) {
    return std::vector<uint8_t>(size, fill);
  }
  static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  uint64_t bytesOnDisk() const {
    uint64_t total = 0;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(directory_))
      if (entry.is_regular_file() && entry.path().filename() != "size")
        total += entry.file_size();
    return total;
  }
  /// Makes an entry look unused for a while.
  static void age(const std::string &path, int seconds) {
    timespec times[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  std::string directory_;
};

TEST_F(ObjectCacheTest, FindsWhatWasStored) {
  ObjectCache cache = cacheOf(1 << 20);
  EXPECT_FALSE(cache.lookup(key(1)));
  Result<std::string> stored = cache.store(key(1), bytes(100, 7));
  ASSERT_TRUE(stored);
  std::optional<std::string> found = cache.lookup(key(1));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, *stored);
  EXPECT_EQ(read(*found).substr(0, 100), std::string(100, 7));
  EXPECT_FALSE(cache.lookup(key(2)));
}

TEST_F(ObjectCacheTest, IgnoresAnEntryThatIsCutShort) {
  ObjectCache cache = cacheOf(1 << 20);
  Result<std::string> stored = cache.store(key(1), bytes(100, 7));
  ASSERT_TRUE(stored);
  ASSERT_EQ(truncate(stored->c_str(), 60), 0);
  EXPECT_FALSE(cache.lookup(key(1)));
  ASSERT_TRUE(cache.store(key(1), bytes(100, 8)));
  EXPECT_TRUE(cache.lookup(key(1)));
}

/// Changes one byte of a file; a negative place counts from its end.
void damage(const std::string &path, int at) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(at, at < 0 ? std::ios::end : std::ios::beg);
  auto place = file.tellg();
  char byte = char(file.get() ^ 1);
  file.seekp(place);
  file.put(byte);
}

TEST_F(ObjectCacheTest, IgnoresAnEntryThatIsDamaged) {
  ObjectCache cache = cacheOf(1 << 22);
  constexpr int Size = 100'000; // more than is read at once
  std::string good = read(*cache.store(key(1), bytes(Size, 7)));
  for (int at : {0, 5, Size / 2, Size - 1, -1, -17, -33, -41, -48}) {
    Result<std::string> stored = cache.store(key(1), bytes(Size, 7));
    ASSERT_TRUE(stored);
    ASSERT_TRUE(cache.lookup(key(1)));
    damage(*stored, at);
    ASSERT_NE(read(*stored), good);
    EXPECT_FALSE(cache.lookup(key(1))) << at;
  }
  Result<std::string> stored = cache.store(key(1), bytes(Size, 7));
  std::ofstream(*stored, std::ios::app) << "more";
  EXPECT_FALSE(cache.lookup(key(1)));
}

TEST_F(ObjectCacheTest, IgnoresAnEntryOfAnotherKey) {
  ObjectCache cache = cacheOf(1 << 20);
  std::string one = *cache.store(key(1), bytes(100, 7)), two = *cache.store(key(2), bytes(100, 8));
  fs::copy_file(one, two, fs::copy_options::overwrite_existing);
  EXPECT_TRUE(cache.lookup(key(1)));
  EXPECT_FALSE(cache.lookup(key(2)));
}

TEST_F(ObjectCacheTest, ReplacesAnEntryThatCannotBeUsed) {
  ObjectCache cache = cacheOf(1 << 20);
  for (mode_t mode : {0000u, 0300u, 0600u, 0720u, 0702u}) {
    mode_t before = umask(0);
    Result<std::string> stored = cache.store(key(1), bytes(100, 7));
    umask(before);
    ASSERT_TRUE(stored);
    ASSERT_TRUE(cache.lookup(key(1)));
    ASSERT_EQ(chmod(stored->c_str(), mode), 0);
    EXPECT_FALSE(cache.lookup(key(1))) << mode;
  }
}

TEST_F(ObjectCacheTest, FollowsNoLinkToAnEntry) {
  ObjectCache cache = cacheOf(1 << 20);
  std::string stored = *cache.store(key(1), bytes(100, 7)), elsewhere = directory_ + "/elsewhere";
  fs::rename(stored, elsewhere);
  fs::create_symlink(elsewhere, stored);
  EXPECT_FALSE(cache.lookup(key(1)));
  ASSERT_TRUE(cache.store(key(1), bytes(100, 8))); // takes the link's place, and leaves the file
  EXPECT_TRUE(cache.lookup(key(1)));
  EXPECT_EQ(read(elsewhere)[0], 7);
}

TEST_F(ObjectCacheTest, WaitsForNoPipe) {
  ObjectCache cache = cacheOf(1 << 20);
  std::string stored = *cache.store(key(1), bytes(100, 7));
  fs::remove(stored);
  ASSERT_EQ(mkfifo(stored.c_str(), 0700), 0);
  EXPECT_FALSE(cache.lookup(key(1)));
}

TEST_F(ObjectCacheTest, DoesNotUseAFolderThatOthersMayWriteTo) {
  for (mode_t mode : {0720u, 0702u, 01777u}) {
    ASSERT_EQ(chmod(directory_.c_str(), 0700), 0);
    ASSERT_TRUE(cacheOf(1 << 20).store(key(1), bytes(100, 7)));
    ObjectCache cache = cacheOf(1 << 20);
    ASSERT_TRUE(cache.lookup(key(1)));
    ASSERT_EQ(chmod(directory_.c_str(), mode), 0);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(cache.lookup(key(1)));
    EXPECT_TRUE(cache.isRefused());
    Result<std::string> stored = cache.store(key(2), bytes(100, 7));
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->starts_with("/proc/"));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "heddle: the cache in " + directory_ +
                  " is not used: others may write to it (chmod go-w)\n");
  }
}

TEST_F(ObjectCacheTest, DoesNotUseAFolderOfSomebodyElse) {
  ASSERT_TRUE(cacheOf(1 << 20).store(key(1), bytes(100, 7)));
  if (chown(directory_.c_str(), 65534, 65534) != 0)
    GTEST_SKIP() << "only root can give a folder away, to a user of its namespace";
  ObjectCache cache = cacheOf(1 << 20);
  EXPECT_FALSE(cache.lookup(key(1)));
  EXPECT_TRUE(cache.isRefused());
}

TEST_F(ObjectCacheTest, FollowsNoLinkToAFolder) {
  std::string real = directory_ + "/real", link = directory_ + "/link";
  ASSERT_TRUE(ObjectCache({real, 1 << 20}).store(key(1), bytes(100, 7)));
  fs::create_directory_symlink(real, link);
  ObjectCache cache({link, 1 << 20});
  EXPECT_FALSE(cache.lookup(key(1)));
  EXPECT_TRUE(cache.isRefused());
  // Nor to the folder of an entry inside, also when entries are taken out.
  std::string other = directory_ + "/other", inside = real + "/" + key(1).text().substr(0, 2);
  fs::rename(inside, other);
  fs::create_directory_symlink(other, inside);
  ObjectCache small({real, 100});
  EXPECT_FALSE(small.lookup(key(1)));
  EXPECT_TRUE(small.store(key(2), bytes(10, 1)));
  fs::remove(real + "/size");
  EXPECT_TRUE(small.store(key(3), bytes(30, 1)));
  EXPECT_FALSE(fs::is_empty(other));
}

TEST_F(ObjectCacheTest, SweepsWhatKilledProcessesLeave) {
  ObjectCache cache = cacheOf(1 << 20);
  ASSERT_TRUE(cache.store(key(1), bytes(100, 7)));
  std::string folder = directory_ + "/unfinished", dead = folder + "/1.0", alive = folder + "/2.0";
  std::ofstream(dead) << "half an ent";
  std::ofstream(alive) << "half an ent";
  int file = open(alive.c_str(), O_RDONLY);
  ASSERT_EQ(flock(file, LOCK_EX), 0);
  ASSERT_TRUE(cache.store(key(2), bytes(100, 7)));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive));
  close(file);
  ASSERT_TRUE(cache.store(key(3), bytes(100, 7)));
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(ObjectCacheTest, EvictsTheLeastRecentlyUsed) {
  ObjectCache cache = cacheOf(10 * 1024);
  for (unsigned i = 0; i != 8; ++i) {
    Result<std::string> stored = cache.store(key(i), bytes(1000, 1));
    ASSERT_TRUE(stored);
    age(*stored, 1000 - int(i));
  }
  ASSERT_TRUE(cache.lookup(key(0))); // now the most recently used
  for (unsigned i = 8; i != 12; ++i)
    ASSERT_TRUE(cache.store(key(i), bytes(1000, 1)));
  EXPECT_TRUE(cache.lookup(key(0)));
  EXPECT_FALSE(cache.lookup(key(1)));
  EXPECT_TRUE(cache.lookup(key(11)));
  EXPECT_LE(bytesOnDisk(), 10u * 1024);
}

TEST_F(ObjectCacheTest, StaysUnderTheBoundWithManyProcesses) {
  constexpr unsigned Processes = 4, Entries = 60;
  for (unsigned process = 0; process != Processes; ++process) {
    if (fork() != 0)
      continue;
    ObjectCache cache = cacheOf(64 * 1024);
    bool good = true;
    for (unsigned i = 0; i != Entries; ++i) { // the processes overlap: half of the keys are common
      unsigned number = i % 2 ? i : process * 1000 + i;
      uint8_t fill = uint8_t(number);
      good &= bool(cache.store(key(number), bytes(2000, fill)));
      if (std::optional<std::string> path = cache.lookup(key(number))) {
        std::string content = read(*path); // "" if another process evicted it meanwhile
        good &= content.empty() || content.substr(0, 2000) == std::string(2000, char(fill));
      }
    }
    _exit(good ? 0 : 1);
  }
  for (unsigned process = 0; process != Processes; ++process) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(bytesOnDisk(), 64u * 1024);
  EXPECT_GT(bytesOnDisk(), 16u * 1024);
}

TEST_F(ObjectCacheTest, GivesAMemoryFileWhereItIsOff) {
  ObjectCache cache({"", 1 << 20});
  Result<std::string> stored = cache.store(key(1), bytes(100, 9));
  ASSERT_TRUE(stored);
  EXPECT_EQ(read(*stored).substr(0, 100), std::string(100, 9));
  EXPECT_FALSE(cache.lookup(key(1)));
}

TEST_F(ObjectCacheTest, GivesAMemoryFileWhereItCannotWrite) {
  ObjectCache cache({"/proc/heddle", 1 << 20});
  Result<std::string> stored = cache.store(key(1), bytes(100, 9));
  ASSERT_TRUE(stored);
  EXPECT_EQ(read(*stored).substr(0, 100), std::string(100, 9));
}

TEST_F(ObjectCacheTest, ReadsCudasVariables) {
  setenv("CUDA_CACHE_PATH", "/somewhere", 1);
  setenv("CUDA_CACHE_MAXSIZE", "4096", 1);
  unsetenv("CUDA_CACHE_DISABLE");
  ObjectCache::Config config = ObjectCache::configFromEnvironment();
  EXPECT_EQ(config.directory, "/somewhere");
  EXPECT_EQ(config.maxBytes, 4096u);
  setenv("CUDA_CACHE_PATH", "/somewhere//", 1); // with a slash behind it, a link would be followed
  EXPECT_EQ(ObjectCache::configFromEnvironment().directory, "/somewhere");
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  EXPECT_EQ(ObjectCache::configFromEnvironment().directory, "");
  unsetenv("CUDA_CACHE_DISABLE");
  unsetenv("CUDA_CACHE_PATH");
  unsetenv("CUDA_CACHE_MAXSIZE");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  config = ObjectCache::configFromEnvironment();
  EXPECT_EQ(config.directory, "/xdg/heddle");
  EXPECT_EQ(config.maxBytes, uint64_t(1) << 30);
}

TEST(KernelKey, DependsOnEachPart) {
  const uint64_t image[2] = {1, 2}, other[2] = {1, 3};
  Hash128 key = kernelKey(image, "k", {32, 1, 1}, 32, "");
  EXPECT_EQ(key, kernelKey(image, "k", {32, 1, 1}, 32, ""));
  EXPECT_NE(key, kernelKey(other, "k", {32, 1, 1}, 32, ""));
  EXPECT_NE(key, kernelKey(image, "l", {32, 1, 1}, 32, ""));
  EXPECT_NE(key, kernelKey(image, "k", {1, 32, 1}, 32, ""));
  EXPECT_NE(key, kernelKey(image, "k", {32, 1, 1}, 16, ""));
  EXPECT_NE(key, kernelKey(image, "k", {32, 1, 1}, 32, "x86-64-v3"));
  EXPECT_NE(key, kernelKey(image, "k", {32, 1, 1}, 32, "", true));
  EXPECT_NE(key, kernelKey(image, "k", {32, 1, 1}, 32, "", false, {}, Mode::Debug));
  for (const char *name : {"HEDDLE_DISABLE", "HEDDLE_COSTS", "HEDDLE_BACK_END"}) {
    setenv(name, "x", 1);
    EXPECT_NE(key, kernelKey(image, "k", {32, 1, 1}, 32, "")) << name;
    unsetenv(name);
  }
  const uint32_t apart[] = {1, 2, 0}, together[] = {1, 1, 0};
  EXPECT_NE(key, kernelKey(image, "k", {32, 1, 1}, 32, "", false, apart));
  EXPECT_NE(kernelKey(image, "k", {32, 1, 1}, 32, "", false, together),
            kernelKey(image, "k", {32, 1, 1}, 32, "", false, apart));
}

std::string identityOnCore(int core) {
  int ends[2];
  if (pipe(ends) != 0)
    return "";
  if (fork() == 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof(set), &set);
    std::string identity = identifyCpu();
    _exit(write(ends[1], identity.data(), identity.size()) == ssize_t(identity.size()) ? 0 : 1);
  }
  close(ends[1]);
  char buffer[512];
  ssize_t size = read(ends[0], buffer, sizeof(buffer));
  close(ends[0]);
  wait(nullptr);
  return std::string(buffer, size_t(std::max<ssize_t>(size, 0)));
}

TEST(Hash, KeepsPartsApart) { EXPECT_NE(hashOf({"ab", "c"}), hashOf({"a", "bc"})); }

TEST(Cpu, IsTheSameOnEveryCore) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  std::set<std::string> seen;
  for (int core = 0; core != CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed))
      seen.insert(identityOnCore(core));
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_GT(seen.begin()->size(), 8u);
}

TEST(Version, NamesLlvm) {
  EXPECT_NE(std::string(compilerVersion()).find("llvm 22"), std::string::npos);
}

} // namespace
} // namespace heddle
