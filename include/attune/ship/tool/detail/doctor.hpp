// attune/ship/tool/detail/doctor.hpp - attune doctor: the parts of this machine, missing parts, remedies.
// SPDX-License-Identifier: MIT
// Source   Documentation/admin-guide/pm/cpufreq.rst, admin-guide/cgroup-v2.rst of the Linux kernel
#pragma once

#include <attune/compile/clang.hpp>
#include <attune/compile/nvrtc/library.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/opencl/device.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// The first line of a file; empty if there is no such file.
[[nodiscard]] inline std::string line_of_file(std::string const& path)
{
    std::ifstream in(path);
    std::string out;
    std::getline(in, out);
    return out;
}

/// Number of processors by the text in a file of their cpufreq folder: {"performance", 16}.
/// @param root  of the file system
[[nodiscard]] inline std::map<std::string, std::size_t> cpufreq_texts(std::string const& root,
                                                                      char const* name)
{
    std::map<std::string, std::size_t> out;
    std::error_code no;
    std::filesystem::directory_iterator at(root + "/sys/devices/system/cpu", no);
    for (; !no && at != std::filesystem::directory_iterator(); at.increment(no)) {
        std::string const text = line_of_file(at->path().string() + "/cpufreq/" + name);
        if (!text.empty()) ++out[text];
    }
    return out;
}

/// True if the clock may rise above its nominal value; empty if the system does not report it.
[[nodiscard]] inline std::optional<bool> may_boost(std::string const& root)
{
    std::string const folder = root + "/sys/devices/system/cpu/";
    if (std::string const no = line_of_file(folder + "intel_pstate/no_turbo"); !no.empty())
        return no == "0";
    if (std::string const boost = line_of_file(folder + "cpufreq/boost"); !boost.empty())
        return boost == "1";
    return std::nullopt;
}

/// Processors that this control group may use; empty: no limit, or the system does not report it.
[[nodiscard]] inline std::optional<double> processor_quota(std::string const& root)
{
    std::istringstream in(line_of_file(root + "/sys/fs/cgroup/cpu.max"));
    double quota = 0, period = 0;
    if (in >> quota >> period && period > 0) return quota / period;
    return std::nullopt;
}

[[nodiscard]] inline std::optional<double> load_of_last_minute(std::string const& root)
{
    std::string const line = line_of_file(root + "/proc/loadavg");
    return real_in_text(line.substr(0, line.find(' ')));
}

/// GiB of /proc/meminfo.
[[nodiscard]] inline std::optional<double> memory_gib(std::string const& root,
                                                      std::string const& name)
{
    std::ifstream in(root + "/proc/meminfo");
    for (std::string word; in >> word;) {
        double kib = 0;
        if (word == name + ':' && in >> kib) return kib / (1024.0 * 1024.0);
    }
    return std::nullopt;
}

/// A part of a machine, present or missing.
struct finding {
    enum class state : std::uint8_t {
        good,
        poor,    ///< works, but times are worse or less sure
        missing, ///< a task is impossible
    };
    std::string name{};
    state how = state::good;
    std::string what{};
    std::string next{}; ///< advice; may be empty
};

/// A finding of a function that may throw. @param look  returns the finding
template <class Look>
[[nodiscard]] finding finding_of(std::string name, std::string next, Look const& look)
{
    try {
        std::string what = look();
        return {std::move(name), finding::state::good, std::move(what), ""};
    } catch (error const& e) {
        return {std::move(name), finding::state::missing, one_line(sentence_of(e)),
                std::move(next)};
    } catch (std::exception const& e) {
        return {std::move(name), finding::state::missing, one_line(e.what()), std::move(next)};
    }
}

/// The first line of a program's version output; empty if there is no such program.
[[nodiscard]] inline std::string version_of_program(std::string const& name)
{
    if (find_program(name).empty()) return "";
    try {
        std::string const text = run_process({name, "--version"}, 10.0).output;
        return text.substr(0, text.find('\n'));
    } catch (std::exception const&) {
        return "";
    }
}

inline void add_processor(std::vector<finding>& to, std::string const& root)
{
    using enum finding::state;
    named_texts const& facts = facts_of_processor();
    std::string text = device_name();
    for (auto const& [name, value] : facts)
        if (name == "isa") text += ", " + value;
    to.push_back({"processor", good, text, ""});

    std::size_t const mine = allowed_cores();
    std::string all;
    for (auto const& [name, value] : facts)
        if (name == "cores") all = value;
    finding cores{"cores", good, std::to_string(mine) + " of " + all + " may be used", ""};
    if (auto const quota = processor_quota(root);
        quota && *quota + 0.5 < static_cast<double>(mine)) {
        cores.how = poor;
        cores.what += formatted(", but only %.1f of them at a time by this control group", *quota);
        cores.next = "give the container more processors: the limit interrupts timed runs";
    } else if (mine < 2) {
        cores.how = poor;
        cores.next = "give it two, so that one compiles while the other measures";
    }
    to.push_back(std::move(cores));

    auto const governors = cpufreq_texts(root, "scaling_governor");
    finding governor{"governor", good, "", ""};
    for (auto const& [name, count] : governors)
        governor.what +=
            (governor.what.empty() ? "" : ", ") + name + " (" + std::to_string(count) + ')';
    if (governors.empty())
        governor.what = "the system does not say; common in a virtual machine";
    else if (governors.size() > 1 || !governors.contains("performance")) {
        governor.how = poor;
        governor.next = "as root: cpupower frequency-set -g performance (Debian: linux-cpupower)";
    }
    to.push_back(std::move(governor));

    finding boost{"boost", good, "the system does not say", ""};
    if (auto const may = may_boost(root)) {
        boost.what =
            *may ? "on: clocks rise and fall with heat and load" : "off: clocks are steady";
        if (*may) {
            boost.how = poor;
            boost.next =
                "for steadier times, as root: echo 0 > /sys/devices/system/cpu/cpufreq/boost, or "
                "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo";
        }
    }
    to.push_back(std::move(boost));

    std::string const source =
        line_of_file(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    finding clock{"clock", good, source.empty() ? "the system does not say" : source, ""};
    if (source == "hpet" || source == "acpi_pm") {
        clock.how = poor;
        clock.what += ": reading it takes a microsecond";
        clock.next = "start the kernel with tsc=reliable if the processor's counter is steady";
    }
    to.push_back(std::move(clock));

    finding load{"load", good, "the system does not say", ""};
    if (auto const now = load_of_last_minute(root)) {
        load.what = formatted("%.1f threads ran in the last minute", *now);
        if (*now > 0.5 * static_cast<double>(mine)) {
            load.how = poor;
            load.next = "tune when the machine is quiet; attune corrects times only in part";
        }
    }
    to.push_back(std::move(load));

    finding memory{"memory", good, "the system does not say", ""};
    auto const free = memory_gib(root, "MemAvailable"), whole = memory_gib(root, "MemTotal");
    if (free && whole) {
        memory.what = formatted("%.1f", *free) + " of " + formatted("%.1f GiB are free", *whole);
        if (*free < 0.5) {
            memory.how = poor;
            memory.next = "arrays are copied for each tuning; close other programs";
        }
    }
    to.push_back(std::move(memory));
}

/// @return  true if kernels can be compiled for this processor
[[nodiscard]] inline bool add_compilers(std::vector<finding>& to)
{
    using enum finding::state;
    finding in_process = finding_of(
        "LLVM",
        "Debian: apt-get install llvm-19-dev libclang-19-dev libclang-cpp19-dev, then build attune "
        "again; without it kernels are compiled by c++, which takes 2 to 6 times as long",
        [] {
            clang_options options;
            options.fallback = false;
            return clang_compiler(options).identity();
        });
    bool can_compile = in_process.how == good;
    to.push_back(std::move(in_process));
    std::string found;
    for (char const* const name : {"c++", "g++", "clang++"})
        if (std::string const text = version_of_program(name); !text.empty())
            found += (found.empty() ? "" : "; ") + std::string(name) + ": " + text;
    if (found.empty())
        to.push_back({"compilers", can_compile ? poor : missing, "none of c++, g++ and clang++",
                      "Debian: apt-get install g++"});
    else
        to.push_back({"compilers", good, found, ""});
    can_compile = can_compile || !found.empty();
    std::string linkers;
    for (char const* const name : {"ld", "ld.lld"})
        if (!find_program(name).empty())
            linkers += (linkers.empty() ? "" : ", ") + std::string(name);
    if (linkers.empty())
        to.push_back(
            {"linker", poor, "neither ld nor ld.lld",
             "Debian: apt-get install binutils; without it winners are compiled anew in each "
             "process"});
    else
        to.push_back({"linker", good, linkers, ""});
    cache_statistics const cache = system_compiler().statistics();
    if (cache.folder.empty())
        to.push_back(
            {"cache", poor, cache.off_because, "compiled variants are lost when the process ends"});
    else
        to.push_back({"cache", good, cache.folder, ""});
    return can_compile;
}

inline void add_devices(std::vector<finding>& to)
{
    using enum finding::state;
    int most_major = 0;
    try {
        auto const driver = cuda::open_driver();
        int count = 0;
        cuda::require_success(*driver, driver->device_get_count(&count), "cuDeviceGetCount");
        most_major = driver->version / 1000;
        to.push_back(
            {"CUDA driver", count > 0 ? good : missing,
             "CUDA " + std::to_string(most_major) + '.' +
                 std::to_string(driver->version / 10 % 100) + ", " + std::to_string(count) +
                 (count == 1 ? " device" : " devices") + " (" + driver->path + ')',
             count > 0 ? "" : "see nvidia-smi, and whether CUDA_VISIBLE_DEVICES hides them"});
        for (int i = 0; i < count; ++i)
            to.push_back(finding_of("device " + std::to_string(i), "see nvidia-smi", [&] {
                device_limits const limits = limits_of_device(*driver, i);
                std::string out = limits.name + ", sm_" + std::to_string(limits.architecture) +
                                  ", " + std::to_string(limits.multiprocessors) +
                                  " multiprocessors, " + std::to_string(limits.global_bytes >> 30) +
                                  " GiB";
                if (auto const clock = cuda::clock_reader(*driver, i).read())
                    out += ", clock " + cuda::text_of(*clock);
                return out;
            }));
    } catch (error const& e) {
        to.push_back(
            {"CUDA driver", missing, one_line(sentence_of(e)),
             "only kernels for a GPU need it: install NVIDIA's driver (Debian: nvidia-driver)"});
    }
    try {
        for (std::string const& line : opencl_devices())
            to.push_back({"OpenCL", good, line, ""});
    } catch (error const& e) {
        to.push_back({"OpenCL", missing, one_line(sentence_of(e)),
                      "only kernels in OpenCL C need it: install a platform (Debian: "
                      "pocl-opencl-icd runs them on this processor)"});
    }
    to.push_back(finding_of(
        "NVRTC",
        "only kernels for a GPU need it: install a CUDA toolkit of 12 or 13, or pip install "
        "nvidia-cuda-nvrtc-cu12 and name its libnvrtc.so.12 by ATTUNE_NVRTC",
        [&] {
            auto const library = nvrtc::open_library({}, most_major);
            std::string out = "NVRTC " + library->version() + " (" + library->path + ")";
            if (!library->architectures.empty())
                out += ", for sm_" + std::to_string(library->architectures.front()) + " to sm_" +
                       std::to_string(library->architectures.back());
            return out;
        }));
}

[[nodiscard]] inline int run_doctor(words const& given, console& on)
{
    using enum finding::state;
    std::vector<finding> all;
    add_processor(all, given.value("--root").value_or(""));
    bool const can_compile = add_compilers(all);
    add_devices(all);
    if (given.has("--json")) {
        tool_json json;
        json["attune"] = version;
        json["can_tune"] = can_compile;
        for (finding const& one : all) {
            tool_json entry;
            entry["name"] = one.name;
            entry["state"] = one.how == good ? "good" : one.how == poor ? "poor" : "missing";
            entry["what"] = one.what;
            entry["next"] = one.next;
            json["findings"].push_back(std::move(entry));
        }
        on.out << line_of(json) << '\n';
        return can_compile ? done : answer_is_no;
    }
    for (finding const& one : all) {
        std::string const mark = one.how == good   ? painted(on, colour::green, "good   ")
                                 : one.how == poor ? painted(on, colour::yellow, "poor   ")
                                                   : painted(on, colour::red, "missing");
        on.out << mark << "  " << one.name
               << std::string(one.name.size() < 12 ? 12 - one.name.size() : 1, ' ')
               << printable(one.what) << '\n';
        if (!one.next.empty())
            on.out << std::string(11, ' ') << painted(on, colour::dim, one.next) << '\n';
    }
    on.out << (can_compile
                   ? "kernels can be tuned on this processor\n"
                   : "kernels cannot be compiled here; what was tuned and baked elsewhere runs\n");
    return can_compile ? done : answer_is_no;
}

[[nodiscard]] inline command doctor_command()
{
    return {
        .name = "doctor",
        .usage = "[options]",
        .what = "What this machine has for tuning, what is missing, and how to get it.",
        .options = {json_option, {"--root", "FOLDER", "reads /proc and /sys below this folder"}},
        .more = "Nothing of it is needed to look into stores. poor: it works, but times are less "
                "sure or the tuning\n"
                "is slower. It ends with 1 where no kernel can be compiled for this processor.\n",
        .run = run_doctor,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
