// attune/ship/export_header.ipp - finds winners and writes them as constants.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/ship/detail/cpp_text.hpp>
#include <attune/ship/export_header.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<record> winners_in(std::string const& text, std::string const& path,
                                             std::string const& source, bool takes_predictions)
{
    memory_store all = memory_store::from_text(text, path);
    std::vector<record> records = all.records();
    if (!takes_predictions)
        std::erase_if(records,
                      [](record const& r) { return r.key.device.ends_with(predicted_device); });
    if (records.empty()) {
        std::vector<std::string> const why = all.notices();
        throw error("the store has no winner", why.empty() ? path : why.front(),
                    "let the program tune once, and name the store that it wrote");
    }
    // Results of an older source, or of another declaration of the kernel, do not concern the
    // present code.
    std::map<std::string, std::pair<std::string, std::string>> today;
    for (record const& r : records)
        if (source.empty() || r.key.source == source)
            today[r.key.kernel] = {r.key.source, r.key.schema};
    std::vector<record> out;
    std::vector<record_key> seen;
    for (record const& r : records) {
        if (today[r.key.kernel] != std::pair{r.key.source, r.key.schema}) continue;
        if (std::find(seen.begin(), seen.end(), r.key) != seen.end()) continue;
        seen.push_back(r.key);
        if (lookup_result found = all.find(r.key); found.how == record_match::exact)
            out.push_back(std::move(*found.best));
    }
    auto const rank = [](record const& r) {
        std::vector<std::pair<double, std::string>> inputs;
        for (auto const& [name, value] : r.key.inputs)
            inputs.emplace_back(number_of(value).value_or(0.0), value);
        return std::tuple(r.key.kernel, r.key.device, r.key.compiler, inputs);
    };
    std::sort(out.begin(), out.end(),
              [&](record const& a, record const& b) { return rank(a) < rank(b); });
    return out;
}

ATTUNE_INLINE bool has_tuned_sizes(record const& of)
{
    return std::any_of(of.key.inputs.begin(), of.key.inputs.end(),
                       [](auto const& input) { return is_tuned_size(input.first); });
}

/// A column of texts: its type in C++, and its values.
struct cpp_column {
    std::string type;
    std::vector<std::string> values{};
};

/// The numbers in "{0, 2, 1}" or "(0, 2, 1)"; empty for other texts.
[[nodiscard]] inline std::optional<std::vector<std::string>> numbers_in_list(std::string_view text)
{
    if (text.size() < 3) return {};
    bool const is_list =
        (text.front() == '{' && text.back() == '}') || (text.front() == '(' && text.back() == ')');
    if (!is_list) return {};
    text = text.substr(1, text.size() - 2);
    std::vector<std::string> out;
    while (true) {
        std::string_view one = text.substr(0, text.find(','));
        std::size_t const length = one.size();
        while (one.starts_with(' '))
            one.remove_prefix(1);
        while (one.ends_with(' '))
            one.remove_suffix(1);
        if (!parse_number<std::int64_t>(one)) return {};
        out.emplace_back(one);
        if (length == text.size()) return out;
        text.remove_prefix(length + 1);
    }
}

/// The narrowest type that holds all of them unchanged.
[[nodiscard]] inline cpp_column column_of(std::vector<std::string> const& texts)
{
    auto const all = [&](auto const& holds) {
        return std::all_of(texts.begin(), texts.end(), holds);
    };
    if (all([](std::string const& t) { return t == "true" || t == "false"; }))
        return {"bool", texts};
    if (all([](std::string const& t) { return parse_number<std::int64_t>(t).has_value(); })) {
        cpp_column out{"std::int64_t", texts};
        for (std::string& value : out.values) // no literal has this value
            if (value == "-9223372036854775808") value = "-9223372036854775807 - 1";
        return out;
    }
    if (all([](std::string const& t) { return number_of(t).has_value(); })) {
        cpp_column out{"double"};
        for (std::string const& t : texts)
            out.values.push_back(literal_of(number_of(t).value_or(0.0)));
        return out;
    }
    std::optional<std::vector<std::string>> const first = numbers_in_list(texts.front());
    if (first && all([&](std::string const& t) {
            auto const list = numbers_in_list(t);
            return list && list->size() == first->size();
        })) {
        cpp_column out{"std::array<std::int64_t, " + std::to_string(first->size()) + ">"};
        for (std::string const& t : texts) {
            std::string value = "{{";
            for (std::string const& n : numbers_in_list(t).value_or(std::vector<std::string>()))
                value += (value.size() > 2 ? ", " : "") + n;
            out.values.push_back(value + "}}");
        }
        return out;
    }
    cpp_column out{"std::string_view"};
    for (std::string const& t : texts)
        out.values.push_back(literal_of(t));
    return out;
}

/// A structure of these columns, and its value for each winner: "{64, 8}".
struct cpp_structure {
    std::string members{};
    std::vector<std::string> values{};
};

/// @param rows  of one kernel, with the same names
[[nodiscard]] inline cpp_structure structure_of(std::vector<named_texts> const& rows,
                                                std::string const& what)
{
    named_texts const& names = rows.front();
    cpp_structure out;
    out.values.assign(rows.size(), "{");
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string const& name = names[i].first;
        if (!is_identifier(name))
            throw error(what + " has a name that is none of C++", "'" + comment_of(name) + "'",
                        "rename it, and tune again");
        std::vector<std::string> texts;
        for (named_texts const& row : rows) {
            std::string const* const text = value_of(row, name);
            texts.push_back(text != nullptr ? *text : std::string());
        }
        cpp_column const column = column_of(texts);
        out.members += "    " + column.type + ' ' + name + ";\n";
        for (std::size_t r = 0; r < rows.size(); ++r)
            out.values[r] += (i == 0 ? "" : ", ") + column.values[r];
    }
    for (std::string& value : out.values)
        value += '}';
    return out;
}

inline constexpr char const* members_of_times =
    "    double seconds;         ///< a call with `best`\n"
    "    double default_seconds; ///< a call with the default configuration\n";
/// The same for kernels with kernel.objective().
inline constexpr char const* members_of_values =
    "    double value;           ///< of `best`, in `unit`\n"
    "    double default_value;   ///< of the default configuration\n"
    "    std::string_view unit;  ///< \"s\": seconds of a call\n"
    "    bool is_higher_better;\n";

[[nodiscard]] inline std::string unit_of(problem_objective const& of)
{
    return ", " + literal_of(of.is_seconds ? std::string_view("s") : std::string_view(of.unit)) +
           (of.is_higher_better ? ", true" : ", false");
}

ATTUNE_INLINE std::string configurations_text(std::vector<record> const& winners)
{
    std::string out = "// The best configurations that attune " + std::string(version) +
                      " found in a store. Do not edit: attune::export_header() wrote it.\n"
                      "#pragma once\n\n"
                      "#include <array>\n#include <cstdint>\n#include <string_view>\n";
    std::set<std::string> taken;
    for (std::size_t begin = 0; begin < winners.size();) {
        std::string const& kernel = winners[begin].key.kernel;
        std::vector<named_texts> inputs;
        std::vector<named_texts> configurations;
        std::size_t end = begin;
        for (; end < winners.size() && winners[end].key.kernel == kernel; ++end) {
            inputs.push_back(winners[end].key.inputs);
            // Leaves out figures of the machine: `device` names it, and no call has them.
            std::erase_if(inputs.back(),
                          [](auto const& input) { return is_machine_figure(input.first); });
            configurations.push_back(winners[end].configuration);
        }
        bool const is_of_times =
            std::all_of(winners.begin() + static_cast<std::ptrdiff_t>(begin),
                        winners.begin() + static_cast<std::ptrdiff_t>(end),
                        [](record const& r) { return objective_of(r.key).is_seconds; });
        std::string const name = identifier_of(kernel);
        if (!taken.insert(name).second)
            throw error("two kernels of the store have one name in C++", name,
                        "keep one of them in the store, or rename one");
        cpp_structure const given = structure_of(inputs, "an input of " + kernel);
        cpp_structure const chosen = structure_of(configurations, "a parameter of " + kernel);
        out += "\nnamespace attune_configurations::" + name + " {\n\n";
        out += "inline constexpr std::string_view kernel = " + literal_of(kernel) + ";\n\n";
        out += "struct call_inputs {\n" + given.members + "};\n";
        out += "struct configuration {\n" + chosen.members + "};\n";
        out += "struct winner {\n"
               "    call_inputs inputs;\n"
               "    configuration best;\n"
               "    std::string_view device;\n"
               "    std::string_view compiler;\n" +
               std::string(is_of_times ? members_of_times : members_of_values) + "};\n\n";
        out += "inline constexpr std::array<winner, " + std::to_string(end - begin) + "> all{{\n";
        for (std::size_t i = 0; i < end - begin; ++i) {
            record const& r = winners[begin + i];
            out += "    {" + given.values[i] + ", " + chosen.values[i] + ",\n     " +
                   literal_of(r.key.device) + ",\n     " + literal_of(r.key.compiler) + ",\n     " +
                   literal_of(r.best_s) + ", " + literal_of(r.default_s) +
                   (is_of_times ? "" : unit_of(objective_of(r.key))) + "},\n";
        }
        out += "}};\n\n} // namespace attune_configurations::" + name + "\n";
        begin = end;
    }
    return out;
}

ATTUNE_INLINE void export_header_of(std::string const& store_text, std::string const& path)
{
    std::vector<record> winners = winners_in(store_text, path);
    // Further tuned sizes differ in no input of the kernel: only attune chooses among them.
    std::erase_if(winners, has_tuned_sizes);
    if (winners.empty())
        throw error("the store has winners of further sizes alone", path,
                    "let the program tune its first size, too");
    replace_file(path, configurations_text(winners));
}

} // namespace attune::inline ATTUNE_ABI::detail
