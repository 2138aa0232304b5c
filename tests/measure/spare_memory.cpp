// tests/measure/spare_memory.cpp : memory for a measurement, include/attune/measure/roofline/detail/spare_memory.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/roofline/detail/spare_memory.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <new>
#include <string>

#include "../support/scratch_directory.hpp"

using attune::detail::large_footprint;
using attune::detail::spare_memory_bytes;

namespace {

constexpr double mebibyte = 1 << 20;
constexpr double endless = std::numeric_limits<double>::infinity();

/// A system as its files tell of it.
struct told_system {
    support::scratch_directory directory{};

    void has(std::string const& name, std::string const& text)
    {
        std::filesystem::create_directories(
            std::filesystem::path(directory.file(name)).parent_path());
        support::write_file(directory.file(name), text);
    }
    void grants(std::string const& group, std::string const& most, std::string const& used)
    {
        has("sys/fs/cgroup/" + group + "/memory.max", most + "\n");
        has("sys/fs/cgroup/" + group + "/memory.current", used + "\n");
    }
    double spare() const { return spare_memory_bytes(directory.path()); }
};

} // namespace

TEST_CASE("without a limit, what the system can give is to spare; where nothing tells, all is")
{
    told_system here;
    CHECK(here.spare() == endless);
    here.has("proc/meminfo",
             "MemTotal:       24683520 kB\nMemFree: 17 kB\nMemAvailable:   2000 kB\n");
    CHECK(here.spare() == 2000 * 1024);
    here.has("proc/self/cgroup", "1:name=systemd:/\n0::/\n");
    CHECK(here.spare() == 2000 * 1024);
    here.grants("", "max", "17");
    CHECK(here.spare() == 2000 * 1024);
}

TEST_CASE("the tightest of the control groups around this process counts, less what it has used")
{
    told_system here;
    here.has("proc/meminfo", "MemAvailable:   2000 kB\n");
    here.has("proc/self/cgroup", "4:memory:/other\n0::/user/job\n");
    here.grants("other", "1", "0");
    here.grants("user", "900000", "100000");
    CHECK(here.spare() == 800000);
    here.grants("user/job", "600000", "500000");
    CHECK(here.spare() == 100000);
    here.has("sys/fs/cgroup/user/job/memory.stat", "anon 5\ninactive_file 50000\n");
    CHECK(here.spare() == 150000); // what files take is given up on demand
    here.grants("", "70000", "60000");
    CHECK(here.spare() == 10000);
    here.grants("", "70000", "80000");
    CHECK(here.spare() == 0);
}

TEST_CASE("this machine has some memory to spare") { CHECK(spare_memory_bytes() > 0); }

TEST_CASE("arrays far beyond the caches take a quarter of what is to spare at most")
{
    double const beyond = 32 * mebibyte;
    CHECK(large_footprint(1, endless, beyond) == 192 * mebibyte);
    CHECK(large_footprint(8, endless, beyond) == 1536 * mebibyte);
    CHECK(large_footprint(16, endless, beyond) == 1536 * mebibyte);
    CHECK(large_footprint(128, endless, beyond) == 3072 * mebibyte);
    CHECK(large_footprint(128, 4096 * mebibyte, beyond) == 1024 * mebibyte);
    CHECK(large_footprint(1, 400 * mebibyte, beyond) == 100 * mebibyte);
    CHECK(large_footprint(1, 128 * mebibyte, beyond) == beyond);
    CHECK_THROWS_AS((void)large_footprint(1, 127 * mebibyte, beyond), std::bad_alloc);
}
