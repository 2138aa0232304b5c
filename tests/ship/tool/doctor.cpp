// tests/ship/tool/doctor.cpp - attune doctor says what a machine has, also one that has nothing.
// SPDX-License-Identifier: MIT
#include <attune/ship/tool/tool.hpp>

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../../support/set_variable.hpp"
#include "run_here.hpp"

using attune_test::has;
using nlohmann::json;
using support::ran;
using support::run_here;

namespace {

json finding(json const& all, std::string const& name)
{
    for (json const& one : all["findings"])
        if (one["name"] == name) return one;
    return {};
}

bool says(json const& text, std::string const& part)
{
    return attune_test::has(text.get<std::string>(), part);
}

} // namespace

TEST_CASE("doctor names what is there in two forms")
{
    ran const plain = run_here({"doctor"});
    json const read = json::parse(run_here({"doctor", "--json"}).out);
    for (char const* name : {"processor", "cores", "governor", "boost", "clock", "load", "memory",
                             "LLVM", "compilers", "linker", "cache", "CUDA driver", "NVRTC"}) {
        CHECK(has(plain.out, name));
        json const one = finding(read, name);
        REQUIRE(one.is_object());
        CHECK(!one["what"].get<std::string>().empty());
        bool const is_good = one["state"] == "good";
        if (!is_good) CHECK(!one["next"].get<std::string>().empty());
    }
    CHECK(plain.err.empty());
    CHECK(plain.code == (read["can_tune"] ? 0 : 1));
}

TEST_CASE("doctor on a machine that has nothing says how to get it, and ends with 1")
{
    support::scratch_directory const folder;
    attune_test::set_variable const path("PATH", folder.path());
    attune_test::set_variable const module("ATTUNE_CLANG_MODULE", folder.file("none.so"));
    attune_test::set_variable const driver("ATTUNE_CUDA_DRIVER", folder.file("none.so"));
    attune_test::set_variable const nvrtc("ATTUNE_NVRTC", folder.file("none.so"));
    attune_test::set_variable const cache("ATTUNE_CACHE", "off");
    ran const got = run_here({"doctor", "--root", folder.path(), "--json"});
    CHECK(got.code == 1);
    CHECK(!has(got.out, "\\n")); // each is one line
    json const read = json::parse(got.out);
    CHECK(read["can_tune"] == false);
    for (char const* name : {"LLVM", "compilers", "CUDA driver", "NVRTC"})
        CHECK(finding(read, name)["state"] == "missing");
    CHECK(says(finding(read, "compilers")["next"], "apt-get install g++"));
    CHECK(says(finding(read, "LLVM")["next"], "libclang-cpp19-dev"));
    CHECK(finding(read, "linker")["state"] == "poor");
    CHECK(finding(read, "cache")["state"] == "poor");
    CHECK(says(finding(read, "governor")["what"], "does not say"));
}

TEST_CASE("doctor reads governors, boost, clock source, quota, load and memory")
{
    support::scratch_directory const folder;
    auto const set = [&](std::string const& path, std::string const& text) {
        std::string const file = folder.path() + path;
        std::filesystem::create_directories(std::filesystem::path(file).parent_path());
        support::write_file(file, text + '\n');
    };
    std::string const cpu = "/sys/devices/system/cpu/";
    set(cpu + "cpu0/cpufreq/scaling_governor", "powersave");
    set(cpu + "cpu1/cpufreq/scaling_governor", "performance");
    set(cpu + "intel_pstate/no_turbo", "0");
    set("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
    set("/sys/fs/cgroup/cpu.max", "25000 100000");
    set("/proc/loadavg", "900.5 1 1 1/1 1");
    set("/proc/meminfo", "MemTotal:  4194304 kB\nMemAvailable:  104858 kB");
    json const read = json::parse(run_here({"doctor", "--root", folder.path(), "--json"}).out);
    CHECK(says(finding(read, "governor")["what"], "performance (1), powersave (1)"));
    CHECK(says(finding(read, "governor")["next"], "cpupower"));
    CHECK(says(finding(read, "boost")["what"], "on"));
    CHECK(says(finding(read, "clock")["what"], "hpet"));
    CHECK(says(finding(read, "cores")["what"], "only 0.2 of them"));
    CHECK(says(finding(read, "load")["what"], "900.5 threads"));
    CHECK(says(finding(read, "memory")["what"], "0.1 of 4.0 GiB"));
    for (char const* name : {"governor", "boost", "clock", "cores", "load", "memory"})
        CHECK(finding(read, name)["state"] == "poor");
}
