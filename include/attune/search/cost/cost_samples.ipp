// attune/search/cost/cost_samples.ipp - the definitions of cost_samples.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/cost/cost_samples.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE void cost_samples::add(std::string_view task, program_rows rows,
                                     std::optional<double> value)
{
    if (rows.count() == 0) return;
    ATTUNE_ASSERT(programs_.empty() || programs_.front().width == rows.width,
                  "programs have rows of one width");
    std::size_t t = 0;
    while (t < tasks_.size() && tasks_[t].name != task)
        ++t;
    if (t == tasks_.size()) tasks_.push_back({std::string(task), {}});
    if (value && (!tasks_[t].least || *value < *tasks_[t].least)) tasks_[t].least = value;
    programs_.push_back(std::move(rows));
    values_.push_back(value);
    task_of_.push_back(static_cast<std::uint32_t>(t));
}

ATTUNE_INLINE void cost_samples::add(cost_samples const& other)
{
    for (std::size_t i = 0; i < other.size(); ++i)
        add(other.task(i), other.programs_[i], other.values_[i]);
}

ATTUNE_INLINE std::vector<double> cost_samples::scores() const
{
    std::vector<double> out;
    out.reserve(size());
    for (std::size_t i = 0; i < size(); ++i)
        out.push_back(values_[i] ? *tasks_[task_of_[i]].least / *values_[i] : 0);
    return out;
}

ATTUNE_INLINE std::vector<double> cost_samples::places() const
{
    std::vector<std::vector<double>> sorted(tasks_.size()); // a failure is slower than all
    constexpr double failed = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size(); ++i)
        sorted[task_of_[i]].push_back(values_[i].value_or(failed));
    for (std::vector<double>& of_task : sorted)
        std::sort(of_task.begin(), of_task.end());
    std::vector<double> out;
    out.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
        std::vector<double> const& all = sorted[task_of_[i]];
        auto const [first, last] =
            std::equal_range(all.begin(), all.end(), values_[i].value_or(failed));
        double const slower = static_cast<double>(all.end() - last);
        double const equal = static_cast<double>(last - first - 1);
        double const others = static_cast<double>(all.size() - 1);
        bool const is_told = values_[i].has_value() && others > 0;
        out.push_back(is_told ? (slower + equal / 2) / others : values_[i] ? 1 : 0);
    }
    return out;
}

namespace detail::cost {

inline void add_number(std::string& to, double v)
{
    std::array<char, 32> buffer{};
    to.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), v).ptr);
}

/// Takes "1.5 " off the front.
[[nodiscard]] inline std::optional<double> take_number(std::string_view& from)
{
    double out = 0;
    char const* const end = from.data() + from.size();
    auto const [stop, problem] = std::from_chars(from.data(), end, out);
    if (problem != std::errc{} || (stop != end && *stop != ' ')) return {};
    from.remove_prefix(static_cast<std::size_t>(stop - from.data()) + (stop == end ? 0U : 1U));
    return out;
}

} // namespace detail::cost

ATTUNE_INLINE std::string text_of(cost_samples const& samples)
{
    std::string out;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        out += samples.task(i);
        out += '\t';
        if (std::optional<double> const value = samples.value(i))
            detail::cost::add_number(out, *value);
        else
            out += "failed";
        program_rows const& rows = samples.programs()[i];
        out += '\t' + std::to_string(rows.width) + '\t';
        for (std::size_t at = 0; at < rows.values.size(); ++at) {
            if (at > 0) out += ' ';
            detail::cost::add_number(out, rows.values[at]);
        }
        out += '\n';
    }
    return out;
}

ATTUNE_INLINE cost_samples read_cost_samples(std::string_view text)
{
    cost_samples out;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
        auto const require = [&](bool is_good, char const* what) {
            if (!is_good)
                throw error(what, "line " + std::to_string(number) + " of measured programs",
                            "write the text with text_of(cost_samples)");
        };
        auto const part = [&] {
            std::size_t const tab = line.find('\t');
            require(tab != line.npos, "a line has fewer than four parts");
            std::string_view const found = line.substr(0, tab);
            line.remove_prefix(tab + 1);
            return found;
        };
        std::string_view const task = part();
        std::string_view said = part();
        std::optional<double> value;
        if (said != "failed") {
            value = detail::cost::take_number(said);
            require(value && said.empty() && *value > 0, "a value is no number above 0");
        }
        std::string_view wide = part();
        std::optional<double> const width = detail::cost::take_number(wide);
        require(width && wide.empty() && *width >= 1 && *width < 1e6, "a width is no number");
        program_rows rows;
        rows.width = static_cast<std::size_t>(*width);
        require(out.size() == 0 || out.programs().front().width == rows.width,
                "a program has rows of another width");
        while (!line.empty()) {
            std::optional<double> const v = detail::cost::take_number(line);
            require(v.has_value(), "a feature is no number");
            rows.values.push_back(*v);
        }
        require(!rows.values.empty() && rows.values.size() % rows.width == 0,
                "the features are no whole number of rows");
        out.add(task, std::move(rows), value);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
