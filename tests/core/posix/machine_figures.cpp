// tests/core/posix/machine_figures.cpp - caches as the system's files tell of them, and what never changes.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/machine_figures.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../../support/scratch_directory.hpp"

using attune::detail::is_machine_figure;
using attune::detail::machine_figure;
using attune::detail::machine_figure_named;
using attune::detail::read_machine_figures;

namespace {

/// A system as its files tell of it.
struct told_system {
    support::scratch_directory directory{};
    int caches = 0;

    void has(std::string const& name, std::string const& text)
    {
        std::filesystem::create_directories(
            std::filesystem::path(directory.file(name)).parent_path());
        support::write_file(directory.file(name), text + '\n');
    }
    void has_cache(std::string const& level, std::string const& type, std::string const& size)
    {
        std::string const folder =
            "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(caches++);
        has(folder + "/level", level);
        has(folder + "/type", type);
        has(folder + "/size", size);
    }
    std::int64_t figure(std::string const& name) const
    {
        for (machine_figure const& one : read_machine_figures(directory.path()))
            if (one.name == name) return one.value;
        return -1;
    }
};

} // namespace

TEST_CASE("a cache is as large as its folder says, instructions apart")
{
    told_system here;
    here.has_cache("1", "Instruction", "64K");
    here.has_cache("1", "Data", "48K");
    here.has_cache("1", "Instruction", "64K");
    here.has_cache("2", "Unified", "1024K");
    here.has_cache("3", "Unified", "96M");
    CHECK(here.figure("machine.l1_bytes") == 48 * 1024);
    CHECK(here.figure("machine.l2_bytes") == 1024 * 1024);
    CHECK(here.figure("machine.l3_bytes") == 96 * 1024 * 1024);
}

TEST_CASE("where cores differ, the caches are those of the strongest that this process may use")
{
    told_system here;
    std::vector<int> const mine = attune::detail::processors_of_task(::getpid());
    REQUIRE_FALSE(mine.empty());
    for (int const processor : mine) {
        std::string const folder = "sys/devices/system/cpu/cpu" + std::to_string(processor);
        bool const is_last = processor == mine.back();
        here.has(folder + "/cpu_capacity", is_last ? "1024" : "446");
        here.has(folder + "/cache/index0/level", "1");
        here.has(folder + "/cache/index0/type", "Data");
        here.has(folder + "/cache/index0/size", is_last ? "64K" : "32K");
    }
    CHECK(here.figure("machine.l1_bytes") == 64 * 1024);
}

TEST_CASE("where a folder says nothing, the cache is that of sysconf() or of a usual processor")
{
    told_system here;
    attune::processor_shape const otherwise = attune::this_processor();
    CHECK(here.figure("machine.l2_bytes") == otherwise.l2_bytes);
    here.has_cache("2", "Unified", "0K");
    here.has_cache("3", "Unified", "many");
    CHECK(here.figure("machine.l2_bytes") == otherwise.l2_bytes);
    CHECK(here.figure("machine.l3_bytes") == otherwise.l3_bytes);
}

TEST_CASE("the memory is the limit of the control group where there is one")
{
    told_system here;
    here.has("proc/meminfo", "MemTotal: 67108864 kB");
    CHECK(here.figure("machine.memory_bytes") == std::int64_t{64} << 30);
    here.has("proc/self/cgroup", "0::/job");
    here.has("sys/fs/cgroup/job/memory.max", "123456789");
    CHECK(here.figure("machine.memory_bytes") == 123456789);
}

TEST_CASE("the figures of this machine are possible, and equal at each reading")
{
    auto const figure = [](std::string const& name) {
        return machine_figure_named("machine." + name).value();
    };
    CHECK(figure("l1_bytes") >= 4096);
    CHECK(figure("l2_bytes") >= figure("l1_bytes"));
    CHECK(figure("l3_bytes") >= figure("l2_bytes"));
    CHECK(figure("cores") == std::max(1U, std::thread::hardware_concurrency()));
    CHECK(std::has_single_bit(static_cast<std::uint64_t>(figure("vector_bytes"))));
    CHECK(figure("vector_bytes") >= 16);
    CHECK(figure("vector_registers") >= 16);
    CHECK(figure("page_bytes") == ::sysconf(_SC_PAGESIZE));
    CHECK(figure("memory_bytes") > figure("page_bytes"));
    auto const again = read_machine_figures();
    for (machine_figure const& one : again) {
        CAPTURE(one.name);
        CHECK(machine_figure_named(one.name) == one.value);
        CHECK(is_machine_figure(one.name));
    }
}

TEST_CASE("other names are no figures")
{
    CHECK_FALSE(is_machine_figure("N"));
    CHECK_FALSE(is_machine_figure("machine"));
    CHECK_FALSE(machine_figure_named("N"));
    CHECK_FALSE(machine_figure_named("machine.l9_bytes"));
}
