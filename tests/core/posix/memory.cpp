// tests/core/posix/memory.cpp - what is free, and what a process may ever have.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/machine_figures.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <string>

#include "../../support/scratch_directory.hpp"

using attune::detail::granted_memory_bytes;
using attune::detail::spare_memory_bytes;

namespace {

constexpr double gibibyte = 1 << 30;
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
    double granted() const { return granted_memory_bytes(directory.path()); }
    void has_installed(double bytes)
    {
        has("proc/meminfo",
            "MemTotal: " + std::to_string(static_cast<long long>(bytes / 1024)) + " kB\n");
    }
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

TEST_CASE("what the system keeps for itself does not change the memory that a process may have")
{
    told_system here;
    CHECK(here.granted() == endless);
    for (double const kept : {0.2, 0.21, 0.35, 0.4}) {
        here.has_installed((64 - kept * 4) * gibibyte);
        CHECK(here.granted() == 62 * gibibyte); // steps of a sixteenth of 32 GiB
    }
    here.has_installed(64 * gibibyte);
    CHECK(here.granted() == 64 * gibibyte);
}

TEST_CASE("the memory that a process may have is at most a sixteenth less than the installed one")
{
    told_system here;
    for (double bytes = 3e8; bytes < 1e13; bytes *= 1.37) {
        here.has_installed(bytes);
        CHECK(here.granted() <= bytes);
        CHECK(here.granted() > 15.0 / 16 * (bytes - 1024));
    }
}

TEST_CASE("a limit of a control group is what a process may have, used or not, to the byte")
{
    told_system here;
    here.has_installed(64 * gibibyte);
    here.has("proc/self/cgroup", "0::/user/job\n");
    here.grants("user/job", "max", "17");
    CHECK(here.granted() == 64 * gibibyte);
    here.grants("user", "900001", "100000");
    CHECK(here.granted() == 900001);
    here.grants("user", "900001", "900000");
    CHECK(here.granted() == 900001);
    here.grants("user/job", "700001", "0");
    CHECK(here.granted() == 700001);
}

TEST_CASE("what this process may have is more than what is free, and does not change")
{
    double const granted = granted_memory_bytes();
    CHECK(granted > 15.0 / 16 * spare_memory_bytes());
    CHECK(granted_memory_bytes() == granted);
}
