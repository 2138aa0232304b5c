// attune/measure/energy/joules_per_call.ipp - the counters that powercap reports, offered as the energy source.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/energy/joules_per_call.hpp>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The first line of a small file; empty, with errno, if it cannot be read.
[[nodiscard]] inline std::optional<std::string> first_line_of(std::string const& file)
{
    descriptor const from{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!from) return {};
    char text[128];
    ssize_t const got = ::read(from.get(), text, sizeof text);
    if (got < 0) return {};
    std::string_view const all{text, static_cast<std::size_t>(got)};
    return std::string(all.substr(0, all.find('\n')));
}

/// Empty, with errno 0, if the text is no whole number.
[[nodiscard]] inline std::optional<std::uint64_t> number_in_file(std::string const& file)
{
    std::optional<std::string> const text = first_line_of(file);
    if (!text) return {};
    errno = 0;
    return parse_number<std::uint64_t>(*text);
}

} // namespace detail

ATTUNE_INLINE energy_counters energy_counters::in(std::string const& folder)
{
    namespace fs = std::filesystem;
    energy_counters out;
    std::string refused;
    bool is_forbidden = false;
    std::error_code failed;
    std::vector<std::string> zones;
    for (fs::directory_iterator at{folder, failed}, end; !failed && at != end; at.increment(failed))
        if (at->path().filename().string().starts_with("intel-rapl:"))
            zones.push_back(at->path().string());
    std::sort(zones.begin(), zones.end());
    for (std::string const& zone : zones) {
        std::string const name = detail::first_line_of(zone + "/name").value_or("");
        bool const is_package = name.starts_with("package-");
        if (!is_package && name != "dram") continue;
        energy_counter one{name, zone + "/energy_uj", 0};
        if (!detail::number_in_file(one.file)) {
            bool const may_not = errno == EACCES || errno == EPERM;
            if (is_package && refused.empty()) {
                refused = one.file;
                is_forbidden = may_not;
            }
            continue; // without the memory, the sum is that of the packages; text() shows it
        }
        one.range_uj = detail::number_in_file(zone + "/max_energy_range_uj").value_or(0);
        out.counters_.push_back(std::move(one));
    }
    bool const has_package =
        std::any_of(out.counters_.begin(), out.counters_.end(),
                    [](energy_counter const& one) { return one.name.starts_with("package-"); });
    out.why_none_.clear();
    if (has_package && refused.empty()) return out;
    out.counters_.clear();
    if (refused.empty())
        out.why_none_ = "this machine reports no energy (no " + folder +
                        "/intel-rapl:* with a package); virtual machines and containers often "
                        "hide it";
    else if (is_forbidden)
        out.why_none_ = "this machine reports its energy to others only (" + refused +
                        ": permission denied); run as root, or let root allow it: chmod a+r " +
                        folder + "/intel-rapl:*/energy_uj";
    else
        out.why_none_ = "this machine reports no energy (" + refused + " cannot be read)";
    return out;
}

ATTUNE_INLINE std::string energy_counters::text() const
{
    std::string out;
    for (energy_counter const& one : counters_)
        out += (out.empty() ? "" : ", ") + one.name;
    return out;
}

ATTUNE_INLINE std::vector<std::uint64_t> energy_counters::read() const
{
    std::vector<std::uint64_t> out;
    for (energy_counter const& one : counters_) {
        std::optional<std::uint64_t> const now = detail::number_in_file(one.file);
        if (!now) return {};
        out.push_back(*now);
    }
    return out;
}

ATTUNE_INLINE double
energy_counters::joules_between(std::span<std::uint64_t const> before,
                                std::span<std::uint64_t const> after) const noexcept
{
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    bool const is_whole =
        !counters_.empty() && before.size() == counters_.size() && after.size() == counters_.size();
    if (!is_whole) return unknown;
    double joules = 0;
    for (std::size_t i = 0; i < counters_.size(); ++i) {
        std::uint64_t const range = counters_[i].range_uj;
        bool const began_again = after[i] < before[i];
        if (began_again && range < before[i]) return unknown;
        std::uint64_t const used =
            began_again ? range - before[i] + after[i] : after[i] - before[i];
        joules += 1e-6 * static_cast<double>(used);
    }
    return joules;
}

ATTUNE_INLINE void detail::measure_energy() noexcept
{
    keep_this_library_loaded();
    static constexpr energy_maker counted{[](std::string const& folder) {
        return std::shared_ptr<energy_source const>(std::make_shared<counted_energy>(
            energy_counters::in(folder.empty() ? powercap_folder : folder)));
    }};
    exchange_offer(&counted);
}

} // namespace attune::inline ATTUNE_ABI
