// attune/ship/bake/bake_text.ipp - writes constants and functions of C++.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/hash.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_text.hpp>
#include <attune/ship/bake/device_images.hpp>
#include <attune/ship/detail/cpp_text.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

/// "argument 0: 4096, argument 2: 64"
[[nodiscard]] inline std::string text_of_largest(std::vector<shape_word> const& layout,
                                                 std::vector<std::int64_t> const& largest)
{
    std::string out;
    for (std::size_t i = 0; i < std::min(layout.size(), largest.size()); ++i)
        if (is_size(layout[i].part))
            out += (out.empty() ? "argument " : ", argument ") +
                   std::to_string(layout[i].argument) + ": " + std::to_string(largest[i]);
    return out.empty() ? "all sizes" : out;
}

ATTUNE_INLINE std::string proof_table(bake_plan const& plan, std::vector<std::string> const& levels)
{
    std::vector<std::array<std::string, 4>> rows{
        {plan.kernel, "CODE FOR", "PROVEN BY", "VERIFIED UP TO"}};
    for (planned_variant const& one : plan.variants)
        for (std::string const& level : levels) {
            auto const build =
                std::find_if(one.builds.begin(), one.builds.end(),
                             [&](planned_build const& has) { return has.level == level; });
            if (build == one.builds.end())
                rows.push_back({one.text(), level, "nothing", "no call"});
            else if (build->proof == baked_proof::prediction)
                rows.push_back({one.text(), level, "prediction", "all calls"});
            else
                rows.push_back(
                    {one.text(), level,
                     std::string(baked_proof_names[static_cast<std::size_t>(build->proof)]),
                     text_of_largest(plan.facts.layout, build->proven.largest)});
        }
    rows.push_back({plan.default_text.empty() ? "default" : "default " + plan.default_text, "all",
                    "", "all other calls"});
    std::array<std::size_t, 4> widths{};
    for (auto const& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    std::string out;
    for (auto const& row : rows) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i)
            out += row[i] + std::string(widths[i] + 2 - row[i].size(), ' ');
        out += row.back() + '\n';
    }
    return out;
}

ATTUNE_INLINE std::string script_text(bake_plan const& plan, std::string const& stem)
{
    std::string includes;
    for (std::string const& folder : plan.source.include_dirs)
        includes += " -I" + quoted_for_shell(folder);
    std::string out = "#!/bin/sh\n# Kernel " + comment_of(plan.kernel) +
                      ". Do not edit: attune bake wrote it.\n"
                      "# Makes lib" +
                      stem +
                      ".a here, of which a program with <attune/ship/baked.hpp> links:\n"
                      "#   CXX=g++ CXXFLAGS=\"$(pkg-config --cflags attune)\" sh " +
                      stem + ".sh\n";
    out += R"sh(set -eu
cd "$(dirname "$0")"
: "${CXX:=c++}" "${CXXFLAGS:=}" "${LD:=ld.bfd}" "${OBJCOPY:=objcopy}"
: "${NM:=nm}" "${OBJDUMP:=objdump}" "${AR:=ar}"
objects=''
unique='' # GCC's unique symbols cannot be made local; Clang has none
if $CXX -fno-gnu-unique -E -x c++ /dev/null >/dev/null 2>&1; then unique=-fno-gnu-unique; fi
# Compiles a file, and makes its symbols local: code for a newer processor takes the place of
# nothing else.
unit() {
    name=$1
    shift
    $CXX -std=c++20 $CXXFLAGS)sh" +
           includes + R"sh( -O3 "$@" -fPIC -fno-lto $unique -c "$name.cpp" -o "$name.o"
    symbols=$("$NM" "$name.o")
    sections=$("$OBJDUMP" -h "$name.o")
    case "$*$symbols$sections" in
    *-march=*_GLOBAL__sub_I_* | *-march=*' i '* | *-march=*.init_array* | \
    *-march=*.preinit_array* | *-march=*.ctors*)
        echo "attune: $name.cpp initialises objects before it is known which instructions the" \
            "processor has" >&2
        exit 1 ;;
    esac
    "$LD" -r --force-group-allocation -o "$name.local.o" "$name.o"
    "$OBJCOPY" --wildcard '--keep-global-symbol=*attune_type_tag*' \
        '--keep-global-symbol=*attune_baked_*' '--keep-global-symbol=*baked_table_of*' \
        '--weaken-symbol=*attune_type_tag*' "$name.local.o"
    objects="$objects $name.local.o"
}
)sh";
    if (plan.is_for_device())
        return out + "$CXX -std=c++20 $CXXFLAGS" + includes + " -fPIC -c " + stem +
               "_images.cpp -o " + stem + "_images.o\n$CXX -std=c++20 $CXXFLAGS" + includes +
               " -fPIC -c " + stem + "_table.cpp -o " + stem + "_table.o\nrm -f lib" + stem +
               ".a\n\"$AR\" rcs lib" + stem + ".a " + stem + "_table.o " + stem + "_images.o\n";
    out += "unit " + stem + "_default @" + stem + "_default.flags\n";
    for (std::size_t v = 0; v < plan.variants.size(); ++v)
        for (planned_build const& build : plan.variants[v].builds) {
            std::string const place = stem + '_' + std::to_string(v);
            out += "unit " + place + '_' + build.level + " @" + place + ".flags" +
                   (build.level == "base" ? "" : " -march=" + build.level) + '\n';
        }
    return out + "$CXX -std=c++20 $CXXFLAGS -fPIC -c " + stem + "_table.cpp -o " + stem +
           "_table.o\nrm -f lib" + stem + ".a\n\"$AR\" rcs lib" + stem + ".a " + stem +
           "_table.o $objects\n";
}

/// Words by shape_part.
inline constexpr std::array<char const*, 7> shape_part_names{
    "elements", "number", "flag", "real", "bytes", "overlaps", "places"};

ATTUNE_INLINE std::string baked_names::build(std::size_t variant, std::string const& level) const
{
    return "attune_baked_" + stem + '_' + std::to_string(variant) + '_' + identifier_of(level);
}

/// @param header  a header of ship/baked/
[[nodiscard]] inline std::string head_of_baked(bake_plan const& plan, std::string const& header)
{
    return "// Kernel " + comment_of(plan.kernel) + ". Do not edit: attune_bake wrote it.\n" +
           "#include <attune/ship/baked/" + header + ">\n\n";
}

/// Adds a constant array. Adds nothing for an empty one, which C++ does not allow.
/// @return  text for the array in an initialiser
template <class Values, class TextOf>
std::string add_array(std::string& to, std::string const& type, std::string const& name,
                      Values const& values, TextOf const& text_of)
{
    if (values.empty()) return "{}";
    to += "constexpr " + type + ' ' + name + "[] = {";
    std::size_t column = 0;
    for (auto const& one : values) {
        std::string const text = text_of(one);
        to += column == 0 ? "\n    " : " ";
        column += text.size() + 2;
        to += text + ',';
        if (column > 90) column = 0;
    }
    to += "\n};\n";
    return name;
}

[[nodiscard]] inline std::string whole_literal(std::int64_t value)
{
    return value == std::numeric_limits<std::int64_t>::min() ? "-9223372036854775807 - 1"
                                                             : std::to_string(value);
}

/// Words by baked_proof.
inline constexpr std::array<char const*, 4> baked_proof_words{"record", "build", "both",
                                                              "prediction"};

/// Adds the arrays of a variant's builds.
/// @return  text for the builds in an initialiser
[[nodiscard]] inline std::string add_builds_to(std::string& out, baked_names const& names,
                                               bake_plan const& plan, std::size_t v)
{
    planned_variant const& one = plan.variants[v];
    std::string const i = '_' + std::to_string(v);
    std::vector<std::string> rows;
    struct written_proof {
        proven_properties const* of;
        std::string lists;    ///< members of baked_build: properties and largest sizes
        std::string products; ///< the last member
    };
    std::vector<written_proof> written;
    for (planned_build const& build : one.builds) {
        auto same = std::find_if(written.begin(), written.end(), [&](auto const& w) {
            return w.of->all == build.proven.all && w.of->largest == build.proven.largest &&
                   w.of->products == build.proven.products;
        });
        if (same == written.end()) {
            std::string const k = i + '_' + std::to_string(written.size());
            std::string const all =
                add_array(out, "std::uint64_t", "proven" + k, build.proven.all,
                          [](std::uint64_t property) { return std::to_string(property) + 'u'; });
            std::string const largest =
                add_array(out, "std::int64_t", "largest" + k, build.proven.largest, &whole_literal);
            // Products are below 2^62, and exact enough as whole numbers.
            std::string const products =
                add_array(out, "double", "products" + k, build.proven.products,
                          [](double product) { return formatted("%.17g", product); });
            same = written.insert(same, {&build.proven, all + ", " + largest, products});
        }
        std::string const proof =
            build.proof == baked_proof::prediction ? "predicted, and verified nowhere"
            : build.proof == baked_proof::record
                ? "the store proves it"
                : "this build verified it for " + std::to_string(build.checked) + " shapes" +
                      (build.proof == baked_proof::both ? ", the store proves it for more" : "");
        std::string const code = "&::" + names.build(v, build.level);
        std::string const level = plan.is_for_device() ? "base" : identifier_of(build.level);
        rows.push_back("// " + build.level + ": " + proof + "\n    {instruction_level::" + level +
                       ", " + (plan.is_for_device() ? "nullptr" : code) + ", baked_proof::" +
                       baked_proof_words[static_cast<std::size_t>(build.proof)] + ", " +
                       same->lists + (plan.is_for_device() ? ", " + code : ", nullptr") + ", " +
                       same->products + '}');
    }
    return add_array(out, "baked_build", "builds" + i, rows,
                     [](std::string const& row) { return row; });
}

[[nodiscard]] inline std::string machine_declared(baked_names const& names)
{
    return "void* " + names.machine() +
           "(attune::detail::baked_table const& table,\n    attune::detail::instruction_level "
           "most) "
           "noexcept";
}
/// @param type  template of the result
[[nodiscard]] inline std::string machine_text(baked_names const& names, std::string const& type)
{
    return machine_declared(names) + "\n{\n    static constinit attune::detail::" + type +
           "s<attune_baked_type> all;\n    return all.of(table, most);\n}\n";
}

/// The function that gives `baked` the table.
[[nodiscard]] inline std::string table_found_text(bake_plan const& plan, baked_names const& names)
{
    return "\nnamespace attune::inline ATTUNE_ABI::detail {\n\n"
           "template <>\nATTUNE_BAKED_LOCAL baked_table const&\nbaked_table_of<" +
           literal_of(plan.kernel) +
           ", ::attune_baked_type>() noexcept\n{\n    return ::" + names.table() +
           "();\n}\n\n} // namespace attune::inline ATTUNE_ABI::detail\n";
}

[[nodiscard]] inline std::string machine_header(bake_plan const& plan)
{
    return plan.kind == baked_kind::cuda     ? "device_machine.hpp"
           : plan.kind == baked_kind::opencl ? "opencl_machine.hpp"
                                             : "baked_table.hpp";
}

ATTUNE_INLINE std::string table_text(bake_plan const& plan, baked_names const& names)
{
    std::string out = head_of_baked(plan, machine_header(plan));
    if (plan.is_for_device()) {
        out += "#include <attune/core/device_span.hpp>\n\n" + device_type_text(plan) +
               images_declared(plan, names);
    } else {
        out += "attune::detail::baked_code " + names.fallback() + "() noexcept;\n";
        for (std::size_t v = 0; v < plan.variants.size(); ++v)
            for (planned_build const& build : plan.variants[v].builds)
                out +=
                    "attune::detail::baked_code " + names.build(v, build.level) + "() noexcept;\n";
    }
    out += machine_declared(names) + ";\n";
    out += "attune::detail::baked_table const& " + names.table() + "() noexcept;\n\n";
    out += "namespace {\n\nusing namespace attune::detail;\n\n";
    std::string variants;
    std::string devices;
    std::string const layout =
        add_array(out, "shape_word", "layout", plan.facts.layout, [](shape_word const& word) {
            return std::string("{shape_part::") +
                   shape_part_names[static_cast<std::size_t>(word.part)] + ", " +
                   std::to_string(word.argument) + '}';
        });
    std::string const inputs =
        add_array(out, "std::size_t", "inputs", plan.facts.inputs,
                  [](auto const& input) { return std::to_string(input.second); });
    std::string const ignored =
        add_array(out, "std::size_t", "ignored", plan.facts.ignored,
                  [](std::size_t argument) { return std::to_string(argument); });
    for (std::size_t v = 0; v < plan.variants.size(); ++v) {
        planned_variant const& one = plan.variants[v];
        std::string const i = '_' + std::to_string(v);
        std::string const configuration = one.text();
        out += "\n// " + comment_of(configuration) + '\n';
        std::string const builds = add_builds_to(out, names, plan, v);
        std::string const divisors =
            add_array(out, "std::int64_t", "divisors" + i, one.divisors, &whole_literal);
        std::string numbers;
        if (plan.is_for_device())
            numbers = ", " + add_array(out, "launch_number", "numbers" + i,
                                       launch_numbers(*plan.facts.launch, one.configuration,
                                                      "a winner of " + plan.kernel),
                                       [](std::string const& number) { return number; });
        if (one.address_modulus != baked_variant{}.address_modulus)
            numbers += (numbers.empty() ? ", {}, " : ", ") + std::to_string(one.address_modulus);
        variants += "    {" + literal_of(configuration) + ", " + builds + ", " + divisors +
                    numbers + "},\n";
    }
    for (std::size_t d = 0; d < plan.devices.size(); ++d) {
        planned_device const& one = plan.devices[d];
        std::string const tree = add_array(
            out, "baked_node", "tree_" + std::to_string(d), one.tree, [](baked_node const& node) {
                return '{' + std::to_string(node.input) + ", " + literal_of(node.threshold) + ", " +
                       std::to_string(node.below) + ", " + std::to_string(node.above) + '}';
            });
        devices += "    {" + literal_of(one.name) + ", " + literal_of(one.vendor) + ", " +
                   std::to_string(one.family) + ", " + std::to_string(one.model) + ", " + tree;
        if (plan.is_for_device())
            devices +=
                ", " + std::to_string(one.architecture) + (one.is_predicted ? ", true" : ", false");
        devices += "},\n";
    }
    if (plan.is_for_device()) out += launcher_text(plan, names);
    out += '\n';
    if (!variants.empty()) out += "constexpr baked_variant variants[] = {\n" + variants + "};\n";
    out += "constexpr baked_device devices[] = {\n" + devices + "};\n";
    out += "constexpr baked_table table{" + literal_of(plan.kernel) + ",\n    " +
           literal_of(plan.default_text) + ",\n    " +
           (plan.is_for_device() ? "nullptr" : "&::" + names.fallback()) + ", " + layout + ", " +
           inputs + ", " + ignored + ", " + (plan.facts.any_shape ? "true" : "false") + ", " +
           (variants.empty() ? "{}" : "variants") + ", devices,\n    &::" + names.machine() +
           (plan.is_for_device()       ? ", &launcher"
            : plan.facts.any_alignment ? ", nullptr"
                                       : "") +
           (plan.facts.any_alignment ? ", true" : "") + "};\n\n} // namespace\n\n";
    out += "attune::detail::baked_table const& " + names.table() +
           "() noexcept\n{\n    return table;\n}\n";
    if (plan.is_for_device())
        out += '\n' +
               machine_text(names,
                            plan.kind == baked_kind::cuda ? "device_machine" : "opencl_machine") +
               table_found_text(plan, names);
    return out;
}

ATTUNE_INLINE std::string table_mark(std::string const& table)
{
    return content_hash().add(table).hex();
}

/// The kernel file, or the generated text, and the type of its function.
[[nodiscard]] inline std::string kernel_text(bake_plan const& plan, std::string const& generated)
{
    std::error_code failed;
    std::string const path =
        generated.empty() ? std::filesystem::absolute(plan.source.path, failed).string() : "";
    return (generated.empty() ? "#include \"" + path + "\"\n" : generated) + "\n#line 1 " +
           literal_of("attune_bake of " + (generated.empty() ? plan.source.path : plan.kernel)) +
           "\nnamespace {\nusing attune_baked_type =\n"
           "    attune::detail::baked_function<decltype(&::" +
           plan.kernel + ")>::type;\n} // namespace\n\n";
}

[[nodiscard]] inline std::string address_text(bake_plan const& plan, std::string const& name)
{
    return "attune::detail::baked_code " + name + "() noexcept;\nattune::detail::baked_code " +
           name +
           "() noexcept\n{\n    return reinterpret_cast<attune::detail::baked_code>(\n"
           "        static_cast<attune_baked_type*>(&::" +
           plan.kernel + "));\n}\n";
}

ATTUNE_INLINE std::string default_text(bake_plan const& plan, baked_names const& names)
{
    return head_of_baked(plan, "baked_machine.hpp") + kernel_text(plan, plan.fallback) +
           address_text(plan, names.fallback()) + '\n' + machine_declared(names) + ";\n" +
           machine_text(names, "baked_machine") + "\nattune::detail::baked_table const& " +
           names.table() + "() noexcept;\n" + table_found_text(plan, names);
}

ATTUNE_INLINE std::string variant_text(bake_plan const& plan, baked_names const& names,
                                       std::size_t variant, std::string const& level)
{
    planned_variant const& one = plan.variants[variant];
    std::string out = head_of_baked(plan, "baked_code.hpp");
    out += "#define ATTUNE_COMPILES_VARIANT 2\n";
    if (one.generated.empty()) // parameters are macros
        for (auto const& [name, value] : macros_defined(one.code))
            out += "#define " + name + ' ' + value + '\n';
    return out + kernel_text(plan, one.generated) + address_text(plan, names.build(variant, level));
}

ATTUNE_INLINE std::string check_text(bake_plan const& plan, baked_names const& names,
                                     std::vector<std::vector<std::int64_t>> const& shapes,
                                     std::string const& mark)
{
    std::string out = "// Kernel " + comment_of(plan.kernel) +
                      ". Do not edit: attune_bake wrote it.\n"
                      "#include <attune/ship/check/check_baked.hpp>\n\n" +
                      kernel_text(plan, plan.fallback) + "attune::detail::baked_table const& " +
                      names.table() + "() noexcept;\n\nnamespace {\n\n";
    std::string const rows = add_array(
        out, "std::int64_t", "attune_check_shapes", shapes, [](std::vector<std::int64_t> const& s) {
            std::string row;
            for (std::int64_t const word : s)
                row += (row.empty() ? "" : ", ") + whole_literal(word);
            return row;
        });
    std::string const tolerances =
        add_array(out, "attune::detail::check_tolerance", "attune_check_tolerances",
                  plan.facts.tolerances, [](auto const& one) {
                      auto const& [argument, within] = one;
                      return '{' + std::to_string(argument) + ", {" + literal_of(within.absolute) +
                             ", " + literal_of(within.relative) + ", " +
                             (within.any ? "true" : "false") + "}}";
                  });
    return out +
           "\n} // namespace\n\nint main(int count, char** arguments)\n{\n    return "
           "attune::detail::check_main<attune_baked_type>(\n        {::" +
           names.table() + "(), " + rows + ", " + tolerances + ", " + literal_of(mark) +
           "},\n        count,\n        arguments);\n}\n";
}

ATTUNE_INLINE std::string flags_text(std::vector<std::string> const& flags)
{
    std::string out;
    for (std::string const& flag : flags) {
        out += '"';
        for (char const c : flag) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        out += "\"\n";
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
