// attune/ship/bake/device_images.ipp - runs NVRTC for each variant and architecture, and writes launches.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nvrtc.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/ship/bake/bake_text.hpp>
#include <attune/ship/bake/build_proofs.hpp>
#include <attune/ship/bake/device_images.hpp>
#include <attune/ship/detail/cpp_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// The fields between tabs.
[[nodiscard]] inline std::vector<std::string> fields_of(std::string_view text)
{
    std::vector<std::string> out;
    for (;;) {
        std::size_t const end = text.find('\t');
        out.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return out;
        text.remove_prefix(end + 1);
    }
}

[[nodiscard]] inline std::optional<std::int64_t> whole_in(std::string_view text)
{
    if (text == "true" || text == "false") return text == "true" ? 1 : 0;
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    return parse_number<std::int64_t>(text);
}

/// The numbers of "{8, 4, 2}", with or without blanks.
[[nodiscard]] inline std::vector<std::int64_t> list_in(std::string_view text)
{
    std::vector<std::int64_t> out;
    if (text.size() < 2 || text.front() != '{' || text.back() != '}') return out;
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        std::size_t const end = std::min(text.find(','), text.size());
        std::string_view item = text.substr(0, end);
        while (item.starts_with(' '))
            item.remove_prefix(1);
        while (item.ends_with(' '))
            item.remove_suffix(1);
        std::optional<std::int64_t> const one = whole_in(item);
        if (!one) return {};
        out.push_back(*one);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

[[nodiscard]] inline std::string integer_text(std::int64_t value)
{
    return "formula::integer(" +
           (value == INT64_MIN ? "-9223372036854775807 - 1" : std::to_string(value)) + ')';
}

/// Empty if the value has no such number. @param what  fields of launch_facts::reads
[[nodiscard]] inline std::optional<std::string> number_read(std::vector<std::string> const& what,
                                                            std::string const& value)
{
    if (what[0] == "whole") {
        auto const number = whole_in(value);
        return number ? std::optional(integer_text(*number)) : std::nullopt;
    }
    if (what[0] == "real") {
        auto const number = real_in_text(value);
        return number ? std::optional("formula::real(" + literal_of(*number) + ')') : std::nullopt;
    }
    if (what[0] == "text") return integer_text(what[2] == value ? 1 : 0);
    std::vector<std::int64_t> const list = list_in(value);
    std::int64_t const i = whole_in(what[1]).value_or(-1);
    if (what[0] == "item") {
        if (i < 0 || static_cast<std::size_t>(i) >= list.size()) return {};
        return integer_text(list[static_cast<std::size_t>(i)]);
    }
    auto const at = std::find(list.begin(), list.end(), i);
    if (what[0] != "place" || at == list.end()) return {};
    return integer_text(at - list.begin());
}

ATTUNE_INLINE std::vector<std::string> launch_numbers(launch_facts const& launch,
                                                      named_texts const& configuration,
                                                      std::string const& path)
{
    std::vector<std::string> out;
    for (std::string const& read : launch.reads) {
        std::vector<std::string> const what = fields_of(read);
        std::size_t const name =
            what[0] == "whole" || what[0] == "real" || what[0] == "text" ? 1 : 2;
        bool const is_whole = what.size() == (what[0] == "whole" || what[0] == "real" ? 2u : 3u);
        std::string const* const value = is_whole ? value_of(configuration, what[name]) : nullptr;
        std::optional<std::string> number;
        if (value != nullptr) number = number_read(what, *value);
        if (!number)
            throw error("the store has a configuration from which no launch can be computed",
                        path + ", " + comment_of(read),
                        "the store is damaged, or was written by hand");
        out.push_back(*number);
    }
    return out;
}

ATTUNE_INLINE bool is_formula(std::string const& text, std::size_t inputs, std::size_t reads)
{
    static constexpr std::string_view functions[] = {
        "integer",      "real",          "none",     "negate",    "logical_not", "absolute",
        "add",          "subtract",      "multiply", "divide",    "modulo",      "floor_divide",
        "floor_modulo", "ceil_divide",   "minimum",  "maximum",   "less",        "less_equal",
        "greater",      "greater_equal", "equal",    "not_equal", "logical_and", "logical_or",
        "select",       "to_real"};
    auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    std::string_view rest = text;
    long depth = 0;
    while (!rest.empty()) {
        std::size_t count = 0;
        while (count < rest.size() && is_letter(rest[count]))
            ++count;
        std::string_view const word = rest.substr(0, count);
        rest.remove_prefix(count);
        if (word == "in" || word == "at") {
            std::size_t place = 0;
            if (!rest.starts_with('[')) return false;
            auto const [end, problem] =
                std::from_chars(rest.data() + 1, rest.data() + rest.size(), place);
            if (problem != std::errc{} || place >= (word == "in" ? inputs : reads)) return false;
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
            if (!rest.starts_with(']')) return false;
            rest.remove_prefix(1);
        } else if (!word.empty()) {
            if (std::find(std::begin(functions), std::end(functions), word) ==
                    std::end(functions) ||
                !rest.starts_with('('))
                return false;
            bool const is_number = word == "integer" || word == "real";
            std::size_t const end = is_number ? rest.find(')') : 0;
            if (is_number &&
                (end == rest.npos ||
                 rest.substr(1, end - 1).find_first_not_of("0123456789abcdefpx.+- ") != rest.npos))
                return false;
            rest.remove_prefix(is_number ? end + 1 : 0);
        } else {
            char const c = rest.front();
            if (c != '(' && c != ')' && c != ',' && c != ' ') return false;
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth < 0) return false;
            rest.remove_prefix(1);
        }
    }
    return depth == 0;
}

ATTUNE_INLINE std::string device_type_text(bake_plan const& plan)
{
    launch_facts const& launch = *plan.facts.launch;
    std::string out = launch.declarations + "\nnamespace {\nusing attune_baked_type = void(";
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
        out += (i == 0 ? "" : ", ") + comment_of(launch.arguments[i]);
    return out + ");\n} // namespace\n\n";
}

[[nodiscard]] inline std::string name_of(planned_image const& image)
{
    if (image.architecture == 0)
        return image.is_text ? "OpenCL C" : "binary for driver " + image.driver;
    return (image.is_text ? "PTX sm_" : "sm_") + std::to_string(image.architecture);
}

ATTUNE_INLINE std::string launcher_text(bake_plan const& plan, baked_names const& names)
{
    static constexpr std::array<char const*, 10> members = {
        "grid[0]",  "grid[1]",    "grid[2]",    "block[0]",   "block[1]",
        "block[2]", "cluster[0]", "cluster[1]", "cluster[2]", "shared_bytes"};
    launch_facts const& launch = *plan.facts.launch;
    std::string out = "\nvoid geometry([[maybe_unused]] launch_number const* in,\n"
                      "              [[maybe_unused]] launch_number const* at,\n"
                      "              baked_geometry& out)\n{\n    using namespace formula;\n";
    for (std::size_t i = 0; i < members.size(); ++i) {
        std::string const& text = launch.formulas[i];
        if (text.empty()) continue;
        if (!is_formula(text, plan.facts.inputs.size(), launch.reads.size()))
            throw error("the store has a launch that cannot be computed",
                        "kernel " + plan.kernel + ", " + comment_of(text),
                        "the store is damaged, or was written by hand");
        out += std::string("    out.") + members[i] + " = extent_of(" + text +
               (i < 9 ? ", 0);\n" : ", -1);\n");
    }
    out += "}\n";
    std::vector<std::string> const numbers = launch_numbers(launch, launch.defaults, "the default");
    std::string list = "nullptr";
    if (!numbers.empty()) {
        out += "constexpr launch_number default_numbers[] = {";
        for (std::string const& number : numbers)
            out += number + ", ";
        out += "};\n";
        list = "default_numbers";
    }
    return out + "constexpr baked_launcher launcher{&geometry, " +
           (launch.is_cooperative ? "true" : "false") + ", ::" + names.fallback() + ", " +
           std::to_string(plan.default_images.size()) + ", " + list + "};\n";
}

ATTUNE_INLINE std::string images_declared(bake_plan const& plan, baked_names const& names)
{
    std::string out = "extern attune::detail::baked_image const " + names.fallback() + '[' +
                      std::to_string(std::max<std::size_t>(1, plan.default_images.size())) + "];\n";
    for (std::size_t v = 0; v < plan.variants.size(); ++v)
        for (planned_build const& build : plan.variants[v].builds)
            out +=
                "extern attune::detail::baked_image const " + names.build(v, build.level) + ";\n";
    return out;
}

/// An array of the bytes, with a zero after them.
[[nodiscard]] inline std::string bytes_text(std::string const& name, std::string const& bytes)
{
    std::string out = "alignas(64) constexpr unsigned char " + name + "[] = {";
    std::size_t column = 0;
    for (char const c : bytes) {
        if (column++ % 32 == 0) out += "\n    ";
        out += std::to_string(static_cast<unsigned>(static_cast<unsigned char>(c))) + ',';
    }
    return out + "0};\n";
}

[[nodiscard]] inline std::string image_row(planned_image const& image, std::string const& bytes)
{
    return '{' + bytes + ", " + std::to_string(image.bytes.size()) + ", " +
           literal_of(image.entry) + ", " + std::to_string(image.architecture) + ", " +
           (image.is_text ? "true" : "false") + ", " + literal_of(name_of(image)) +
           (image.architecture != 0
                ? ""
                : ", " + literal_of(image.device) + ", " + literal_of(image.driver) + ", " +
                      literal_of(image.options)) +
           '}';
}

ATTUNE_INLINE std::string images_text(bake_plan const& plan, baked_names const& names)
{
    std::string out = "// Kernel " + comment_of(plan.kernel) +
                      ". Do not edit: attune_bake wrote it.\n"
                      "#include <attune/ship/baked/device_code.hpp>\n\n" +
                      images_declared(plan, names) + "\nnamespace {\n\n";
    std::string constants;
    for (std::size_t i = 0; i < plan.default_images.size(); ++i) {
        std::string const name = "default_" + std::to_string(i);
        out += bytes_text(name, plan.default_images[i].bytes);
        constants += (i == 0 ? "\n    " : ",\n    ") + image_row(plan.default_images[i], name);
    }
    constants =
        "attune::detail::baked_image const " + names.fallback() + "[] = {" + constants + "};\n";
    for (std::size_t v = 0; v < plan.variants.size(); ++v)
        for (planned_build const& build : plan.variants[v].builds) {
            std::string const name = "code_" + std::to_string(v) + '_' + identifier_of(build.level);
            out += "// " + comment_of(plan.variants[v].text()) + ", " + build.level + '\n' +
                   bytes_text(name, build.image.bytes);
            constants += "attune::detail::baked_image const " + names.build(v, build.level) +
                         image_row(build.image, name) + ";\n";
        }
    return out + "\n} // namespace\n\n" + constants;
}

ATTUNE_INLINE std::vector<std::string> architecture_levels(std::vector<int> const& asked)
{
    std::vector<int> const& known = known_architectures();
    std::vector<std::string> out;
    for (int const one : asked)
        if (std::find(known.begin(), known.end(), one) == known.end()) {
            std::string all;
            for (int const architecture : known)
                all += (all.empty() ? "" : ", ") + std::to_string(architecture);
            throw error("there is no architecture of this name", "SM " + std::to_string(one),
                        "use some of " + all);
        }
    for (int const architecture : known)
        if (std::find(asked.begin(), asked.end(), architecture) != asked.end())
            out.push_back("sm_" + std::to_string(architecture));
    return out;
}

/// The first words of a text: "nvrtc 13.0" for "nvrtc 13.0 sm_90 --std=c++20".
[[nodiscard]] inline std::string first_words(std::string const& text, std::size_t count)
{
    std::size_t end = 0;
    for (; count > 0 && end != std::string::npos; --count)
        end = text.find(' ', end == 0 ? 0 : end + 1);
    return text.substr(0, end);
}

ATTUNE_INLINE std::vector<std::string> flags_of_identity(std::string const& identity)
{
    std::string const head = first_words(identity, 3);
    if (!head.starts_with("nvrtc ") || head.find(" sm_") == std::string::npos)
        return nvrtc_options{}.flags;
    return split_flags(std::string_view(identity).substr(head.size()));
}

/// NVRTC for one architecture, with the settings of the winners' tuning.
[[nodiscard]] inline nvrtc_compiler nvrtc_for_level(bake_plan const& plan, std::string const& level,
                                                    bool keeps_ptx)
{
    nvrtc_options options;
    options.flags = flags_of_identity(plan.compilers.empty() ? "" : plan.compilers.back());
    options.architecture = architecture_in(level);
    options.driver = "none: nothing is run while baking"; // also on a machine with a device
    options.cache.enabled = false;
    options.keep_ptx = keeps_ptx;
    return nvrtc_compiler(std::move(options));
}

ATTUNE_INLINE void compile_images(bake_plan& plan, std::vector<std::string> const& levels)
{
    kernel_source source = plan.source;
    bool is_lowest = true;
    std::vector<planned_image> defaults;
    std::vector<planned_image> ptx;
    for (std::string const& level : levels) {
        nvrtc_compiler const compiler = nvrtc_for_level(plan, level, is_lowest);
        std::string const used = compiler.identity();
        auto const image_of = [&](compile_result const& made) {
            device_code const& code = device_variant_of(std::get<callable>(made)).code;
            return planned_image{code.image, code.entry, code.architecture};
        };
        compile_result const by_default = compiler.compile(source, plan.default_code);
        if (auto const* const why = std::get_if<failure>(&by_default))
            throw error("the default of kernel " + plan.kernel + " cannot be compiled for " + level,
                        why->reason + (why->log.empty() ? "" : '\n' + why->log),
                        "leave out SM " + level.substr(3) + ", or mend the kernel");
        defaults.insert(defaults.begin(), image_of(by_default));
        if (is_lowest) {
            device_code const& code = device_variant_of(std::get<callable>(by_default)).code;
            if (!code.ptx.empty()) ptx.push_back({code.ptx, code.entry, code.architecture, true});
            for (std::string const& tuned : plan.compilers)
                if (first_words(tuned, 2) != first_words(used, 2))
                    plan.notices.push_back(plan.kernel + ": tuned with " + tuned + ", baked with " +
                                           first_words(used, 2));
        }
        is_lowest = false;
        for (planned_variant& one : plan.variants) {
            auto const at = std::find_if(one.builds.begin(), one.builds.end(),
                                         [&](auto const& b) { return b.level == level; });
            if (at == one.builds.end()) continue;
            compile_result const made = compiler.compile(source, one.code);
            if (auto const* const why = std::get_if<failure>(&made)) {
                plan.notices.push_back(plan.kernel + ": " + one.text() + " is not baked for " +
                                       level + ": " +
                                       why->reason.substr(0, why->reason.find('\n')));
                one.builds.erase(at);
                continue;
            }
            at->image = image_of(made);
        }
    }
    defaults.insert(defaults.end(), ptx.begin(), ptx.end());
    plan.default_images = std::move(defaults);
}

} // namespace attune::inline ATTUNE_ABI::detail
