// attune/tune/program/program_source.ipp - writes the text of a configuration, and declares the launch.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/nest_text.hpp>
#include <attune/compile/nest/write_device_program.hpp>
#include <attune/compile/nest/write_program.hpp>
#include <attune/compile/source/device_text.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/schedule/device/device_space.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/program_features.hpp>
#include <attune/tune/program/program_facts.hpp>
#include <attune/tune/program/program_source.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE point default_schedule_of(chain_of_trees const& space)
{
    point out;
    for (parameter_description const& p : space.describe().parameters) {
        std::optional<coordinate> const at =
            p.default_text ? coordinate_of(p, *p.default_text) : std::nullopt;
        out.push_back(at.value_or(coordinate{}));
    }
    out = space.settled(std::move(out));
    if (space.contains(out)) return out;
    std::vector<point> const near = nearest_valid(space, out, {.count = 1});
    if (near.empty())
        throw error(
            "a program has no schedule", text_of(space.describe(), out),
            "change the rules or the extents: the constraints of the rules exclude each other");
    return near.front();
}

/// Position at which "NAME=" or "NAME+=" begins a value in " " + text; npos: there is none.
[[nodiscard]] inline std::size_t place_of_value(std::string const& text, std::string const& name)
{
    for (std::size_t at = text.find(' ' + name); at != text.npos;
         at = text.find(' ' + name, at + 1)) {
        std::size_t const behind = at + 1 + name.size();
        if (text.compare(behind, 1, "=") == 0 || text.compare(behind, 2, "+=") == 0) return at;
    }
    return text.npos;
}

ATTUNE_INLINE point point_in_text(chain_of_trees const& space, point at,
                                  std::string_view configuration)
{
    description const& d = space.describe();
    std::string const text = ' ' + std::string(configuration);
    std::vector<std::size_t> places;
    for (parameter_description const& p : d.parameters)
        places.push_back(place_of_value(text, p.name));
    std::vector<std::size_t> ends = places;
    ends.push_back(text.size());
    std::sort(ends.begin(), ends.end());
    std::string names;
    for (parameter_description const& p : d.parameters)
        names += (names.empty() ? "" : ", ") + p.name;
    if (text.find_first_not_of(' ') < ends.front())
        throw error("a configuration names a parameter that the program does not have",
                    std::string(configuration), "the parameters are " + names);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] == text.npos) continue;
        std::size_t const begin = text.find('=', places[i]) + 1;
        std::size_t const end = *std::upper_bound(ends.begin(), ends.end(), places[i]);
        std::string value = text.substr(begin, end - begin);
        value.erase(value.find_last_not_of(' ') + 1);
        if (value == inactive_text) continue;
        std::optional<coordinate> const found = coordinate_of(d.parameters[i], value);
        if (!found)
            throw error("a parameter of the program has no such value",
                        d.parameters[i].name + '=' + value,
                        "take the text from explain(...) or a report of the same program");
        at[i] = *found;
    }
    at = space.settled(std::move(at));
    if (std::vector<std::string> const broken = space.violations(at); !broken.empty())
        throw error("a configuration breaks a constraint", text_of(d, at) + ": " + broken.front(),
                    "take the text from explain(...) or a report of the same program");
    return at;
}

ATTUNE_INLINE program_text text_of_program(nest_description nest, compile_request signature,
                                           nest_form const& form)
{
    program_text out{std::move(nest), std::move(signature), {}};
    std::size_t arrays = 0; // the description has arrays in the order of the arguments
    for (std::size_t const which : form.order)
        out.arguments.push_back(which < form.arrays.size()
                                    ? arrays++
                                    : out.nest.arrays.size() + which - form.arrays.size());
    return out;
}

[[nodiscard]] inline derived_space space_of(nest_description const& nest,
                                            program_options const& options)
{
    return derived_space(nest, options.processor ? *options.processor : this_processor(),
                         options.rules.empty() ? default_schedule_rules() : options.rules);
}

[[nodiscard]] inline std::string loops_name(program_text const& of)
{
    return of.nest.name + "_program";
}

[[nodiscard]] inline bool has_constant(nest_description const& nest)
{
    return std::any_of(nest.arrays.begin(), nest.arrays.end(),
                       [](nest_array const& a) { return a.is_constant; });
}

/// Returns `wanted`, with underscores appended until no argument has that name.
[[nodiscard]] inline std::string name_beside_arguments(nest_description const& nest,
                                                       std::string wanted)
{
    auto const has_it = [&wanted](auto const& argument) { return argument.name == wanted; };
    while (std::any_of(nest.arrays.begin(), nest.arrays.end(), has_it) ||
           std::any_of(nest.inputs.begin(), nest.inputs.end(), has_it))
        wanted += '_';
    return wanted;
}

/// A line that finds or makes a form, in the function that attune calls.
[[nodiscard]] inline std::string line_of_form(program_text const& of, kept_form const& form)
{
    std::string const& array = of.nest.arrays[form.array].name;
    std::string numbers;
    std::string passed;
    for (std::uint32_t const input : form.inputs) {
        numbers += "static_cast<long>(" + of.nest.inputs[input].name + "), ";
        passed += ", " + of.nest.inputs[input].name;
    }
    std::string const variable = "numbers_of_" + form.argument;
    std::string const to = name_beside_arguments(of.nest, "to");
    return "    long const " + variable + "[] = {" + numbers + "0};\n    attune_kept<" +
           form.element + "> const kept_" + form.argument + '(' + array + ".forms(), \"" +
           form.name + "\", " + variable + ", " + std::to_string(form.inputs.size()) +
           ",\n        " + form.elements + ", [&](" + form.element + "* " + to +
           ") { ::" + form.fill + '(' + array + ".data(), " + to + passed + "); });\n";
}

/// The text of the function that attune calls.
/// @param types  types of its arguments  @param forms  arguments of the loops
[[nodiscard]] inline std::string entry_of_program(program_text const& of,
                                                  std::vector<std::string> const& types,
                                                  std::vector<kept_form> const& forms = {})
{
    std::string parameters;
    std::vector<std::string> passed(of.nest.arrays.size() + of.nest.inputs.size());
    for (std::size_t i = 0; i < of.arguments.size(); ++i) {
        std::size_t const which = of.arguments[i];
        bool const is_array = which < of.nest.arrays.size();
        std::string const& name = is_array ? of.nest.arrays[which].name
                                           : of.nest.inputs[which - of.nest.arrays.size()].name;
        parameters += (i == 0 ? "" : ", ") + types[i] + ' ' + name;
        passed[which] = is_array ? name + ".data()" : name;
        if (is_array && of.nest.arrays[which].has_row_stride)
            passed[which] += ", static_cast<long>(" + name + ".row_stride())";
    }
    std::string arguments;
    std::string made;
    for (kept_form const& form : forms) {
        made += line_of_form(of, form);
        passed.push_back("kept_" + form.argument + ".data()");
    }
    for (std::string const& one : passed)
        if (!one.empty()) arguments += (arguments.empty() ? "" : ", ") + one;
    return (forms.empty() ? "" : kept_form_text) + ("void " + of.nest.name) + '(' + parameters +
           ")\n{\n" + made + "    ::" + loops_name(of) + '(' + arguments + ");\n}\n";
}

ATTUNE_INLINE std::string as_comment(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find('\n'), text.size());
        out += (end == 0 ? "//" : "// ") + std::string(text.substr(0, end)) + '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

[[nodiscard]] inline std::string steps_comment(traced_program const& made)
{
    return "Steps to it from one loop for each axis, see attune/space/schedule/trace.hpp:\n" +
           text_of(made.trace);
}

[[nodiscard]] inline std::string head_of_program(program_text const& of)
{
    bool const has_spans =
        std::any_of(of.signature.arguments.begin(), of.signature.arguments.end(),
                    [](std::string const& type) { return type.starts_with("std::span"); });
    return (has_spans ? "#include <span>\n" : "") +
           std::string(has_constant(of.nest) ? installed_constant_text : "") +
           of.signature.declarations + '\n';
}

/// The loops as a function, without the functions that it calls.
/// @param shared  receives those functions
[[nodiscard]] inline std::string loops_text(program_text const& of, loop_program const& program,
                                            std::string& shared)
{
    std::string out = write_program(program, {.function = loops_name(of), .linkage = "static "});
    // The position before the functions that make forms, and before the function of a slice.
    std::size_t begin = out.find("static void " + loops_name(of));
    if (!kept_forms(program, loops_name(of)).empty()) begin = out.rfind("\n// ", begin) + 1;
    shared = out.substr(0, begin);
    return out.substr(begin);
}

/// Returns C++ checks of the sizes of a call, like those of `tuned`: a statement for each array
/// argument. A failed check ends the program.
[[nodiscard]] inline std::string size_checks(program_text const& of)
{
    nest_description const& nest = of.nest;
    auto const text_of_extent = [&](nest_extent const& extent) {
        return extent.input == no_index
                   ? std::to_string(extent.constant) + "L"
                   : "static_cast<long>(" + nest.inputs[extent.input].name + ')';
    };
    std::string out;
    auto const require = [&](std::string const& condition, std::string const& said) {
        out += "    if (!(" + condition + ")) {\n        std::fputs(\"attune: " + nest.name + ": " +
               said + "\\n\", stderr);\n        std::abort();\n    }\n";
    };
    for (std::size_t const which : of.arguments) {
        if (which >= nest.arrays.size()) continue;
        nest_array const& array = nest.arrays[which];
        std::string wanted;
        for (nest_extent const& extent : array.extents)
            wanted += (wanted.empty() ? "" : " * ") + text_of_extent(extent);
        if (wanted.empty()) wanted = "1L";
        if (array.has_row_stride)
            require("static_cast<long>(" + array.name + ".rows()) == " +
                        text_of_extent(array.extents[0]) + " && static_cast<long>(" + array.name +
                        ".columns()) == " + text_of_extent(array.extents[1]),
                    "the array " + array.name + " has another number of rows or columns");
        else
            require("static_cast<long>(" + array.name + ".size()) == " + wanted,
                    "the array " + array.name + " has another number of elements");
    }
    return out;
}

/// The plain nest for a release, which is also right for arrays that overlap.
[[nodiscard]] inline std::string plain_text(program_text const& of)
{
    std::string shared;
    std::string loops = loops_text(of, plain_program(of.nest), shared);
    constexpr std::string_view restricted = " __restrict";
    for (std::size_t at = loops.find(restricted); at != loops.npos; at = loops.find(restricted))
        loops.erase(at, restricted.size());
    std::string entry = entry_of_program(of, of.signature.arguments);
    entry.insert(entry.find("{\n") + 2, size_checks(of));
    return as_comment(text_of(of.nest) + "\nThe plain nest: one loop for each axis.") + '\n' +
           loops + '\n' + entry;
}

/// The parameter whose last value is the plain nest. Its values are flags of the compiler, which
/// keep infinities and NaN: inputs that no tuning saw may have them.
inline constexpr std::string_view plain_name = "PLAIN";
inline constexpr std::string_view flags_of_plain = "-Ofast -fno-finite-math-only";

[[nodiscard]] inline bool is_plain(description const& space, point const& at)
{
    std::uint32_t const which = space.find_parameter(plain_name);
    return which != no_index && which < at.size() && at[which].index != 0;
}

/// Adds the parameter, and constraints by which other parameters have their defaults in the plain
/// nest. The plain nest is then one configuration. A search seldom proposes it, but each tuning
/// tries it.
/// @pre     each parameter has a default
inline void add_plain(description& space)
{
    auto const node = [&space](expression_node const& made) { return intern_node(space, made); };
    auto const word = [&](std::string const& of) {
        auto const known = std::find(space.texts.begin(), space.texts.end(), of);
        auto const at = static_cast<std::uint32_t>(known - space.texts.begin());
        if (known == space.texts.end()) space.texts.push_back(of);
        return node({.code = op::text, .text = at});
    };
    auto const equal = [&](std::uint32_t parameter, std::uint32_t value) {
        return node({.code = op::equal,
                     .first = node({.code = op::parameter, .subject = parameter}),
                     .second = value});
    };
    auto const plain = static_cast<std::uint32_t>(space.parameters.size());
    parameter_description added;
    added.name = plain_name;
    added.kind = parameter_kind::categorical;
    added.type = value_kind::text;
    added.labels = {"", std::string(flags_of_plain)};
    added.default_text = "";
    added.role = parameter_role::flags;
    space.parameters.push_back(std::move(added));
    std::uint32_t const is_scheduled = equal(plain, word(""));
    for (std::uint32_t p = 0; p < plain; ++p) {
        parameter_description const of = space.parameters[p];
        std::uint32_t const index = coordinate_of(of, *of.default_text)->index;
        auto const require = [&](std::uint32_t is_standard) {
            constraint_description made;
            made.root =
                node({.code = op::logical_or, .first = is_scheduled, .second = is_standard});
            made.scope = {p, plain};
            made.text = text_of_node(space, space.nodes[made.root]);
            space.constraints.push_back(std::move(made));
        };
        auto const whole = [&](std::int64_t value) {
            return node({.code = op::integer, .integer = value});
        };
        if (of.kind == parameter_kind::categorical) {
            require(equal(p, word(*of.default_text)));
        } else if (of.kind == parameter_kind::ordinal) {
            require(equal(p, whole(of.integers[index])));
        } else { // a tile; space_builder has no other kinds
            for (std::uint32_t part = 0; part < of.parts; ++part)
                require(node({.code = op::equal,
                              .first = node({.code = op::element, .subject = p, .integer = part}),
                              .second = whole(of.integers[index * of.parts + part])}));
        }
    }
}

/// The space with the preferred schedule as default, and with the plain nest.
[[nodiscard]] inline description space_with_plain(derived_space const& derived)
{
    description out = derived.describe();
    point const start = default_schedule_of(chain_of_trees(out));
    for (std::size_t i = 0; i < start.size(); ++i)
        out.parameters[i].default_text = text_of(out.parameters[i], start[i]);
    add_plain(out);
    return out;
}

class program_generator final : public text_generator {
public:
    program_generator(program_text of, std::shared_ptr<derived_space const> space,
                      std::optional<processor_shape> const& processor)
        : program_(std::move(of))
        , derived_(std::move(space))
        , processor_(processor)
    {
        for (std::string const& type : program_.signature.arguments)
            types_.push_back(with_own_span(type));
    }
    [[nodiscard]] std::string text_at(description const& space, point const& at) const override
    {
        loop_program const made = traced_at(space, at).program;
        return own_span_text + std::string(has_constant(program_.nest) ? own_constant_text : "") +
               program_.signature.declarations + '\n' +
               write_program(made, {.function = loops_name(program_), .linkage = "static "}) +
               '\n' + entry_of_program(program_, types_, kept_forms(made, loops_name(program_)));
    }
    [[nodiscard]] generated_code code_at(description const& space, point const& at,
                                         point const&) const override
    {
        traced_program const made = traced_at(space, at);
        generated_code told{.is_plain = true,
                            .loops = placed_loops(made.program, space.inputs),
                            .levels = levels_of(processor_ ? *processor_ : this_processor())};
        std::string const loops = loops_text(program_, made.program, told.shared);
        told.shared =
            "#include <cstdio>\n#include <cstdlib>\n" + head_of_program(program_) + told.shared;
        told.text = as_comment(text_of(program_.nest) + "\nSchedule: " + text_of(space, at) + '\n' +
                               steps_comment(made)) +
                    '\n' + loops + '\n' +
                    entry_of_program(program_, program_.signature.arguments,
                                     kept_forms(made.program, loops_name(program_)));
        told.fallback = plain_text(program_);
        return told;
    }
    [[nodiscard]] bool has_own_spans() const override { return true; }
    [[nodiscard]] std::optional<guard_configuration> guard() const override
    {
        return guard_configuration{std::string(plain_name), std::string(flags_of_plain),
                                   "the plain nest, compiled with " + std::string(flags_of_plain) +
                                       ", is the fastest: " + derived_->least_covered()};
    }

private:
    [[nodiscard]] traced_program traced_at(description const& space, point const& at) const
    {
        return is_plain(space, at) ? traced_program{plain_program(program_.nest), {}}
                                   : derived_->schedule(at);
    }

    program_text program_;
    std::shared_ptr<derived_space const> derived_;
    std::optional<processor_shape> processor_;
    std::vector<std::string> types_{};
};

class appending_generator final : public text_generator {
public:
    appending_generator(std::shared_ptr<text_generator const> own, std::string more)
        : own_(std::move(own))
        , more_(std::move(more))
    {
    }
    [[nodiscard]] std::string text_at(description const& space, point const& at) const override
    {
        return own_->text_at(space, at) + more_;
    }
    [[nodiscard]] bool has_own_spans() const override { return own_->has_own_spans(); }
    [[nodiscard]] std::optional<guard_configuration> guard() const override
    {
        return own_->guard();
    }

private:
    std::shared_ptr<text_generator const> own_;
    std::string more_;
};

ATTUNE_INLINE std::shared_ptr<text_generator const>
with_appended(std::shared_ptr<text_generator const> own, std::string more)
{
    return std::make_shared<appending_generator const>(std::move(own), std::move(more));
}

ATTUNE_INLINE program_kernel kernel_of(program_text const& program, program_options const& options)
{
    auto const derived = std::make_shared<derived_space const>(space_of(program.nest, options));
    program_kernel out;
    std::string revision = "attune program, writer " + std::to_string(program_writer_version) +
                           '\n' + text_of(program.nest) + "rules:";
    for (std::string const& rule : derived->rule_names())
        revision += ' ' + rule;
    if (options.processor) {
        processor_shape const& p = *options.processor;
        revision += "\nprocessor:";
        for (std::int64_t const number :
             {p.vector_bytes, p.vector_registers, p.l1_bytes, p.l2_bytes, p.l3_bytes, p.cores})
            revision += ' ' + std::to_string(number);
        if (p.loads_apart) revision += " loads apart";
    }
    out.source = {revision, program.nest.name + ".program.cpp"};
    out.source.flags = {"-Wno-psabi"}; // g++ has a note on each wide vector argument
#if defined(__aarch64__)
    // Vectors wider than NEON's are SVE's, which compilers use where they know the length.
    // Code for a wrong length computes wrong results: the flag is for this processor's length
    // alone.
    processor_shape const here = this_processor();
    processor_shape const target = options.processor ? *options.processor : here;
    if (here.vector_bytes > 16 && target.vector_bytes == here.vector_bytes)
        out.source.flags.push_back("-msve-vector-bits=" + std::to_string(8 * here.vector_bytes));
#endif
    if (options.processor && options.processor->cores > 1) out.source.flags.push_back("-fopenmp");
    out.source.generator =
        std::make_shared<program_generator const>(program, derived, options.processor);
    out.space = space_with_plain(*derived);
    std::size_t const plain = out.space.find_parameter(plain_name);
    if (out.space.expected)
        out.space.expected = [of = std::move(out.space.expected),
                              plain](std::span<coordinate const> at) {
            constexpr double slower = 10; // assumed, until the plain nest is measured
            return (at[plain].index == 0 ? 1 : slower) * of(at.first(plain));
        };
    auto const without_plain = [program, plain](auto of, auto of_plain) {
        return [=](description const& in, std::span<coordinate const> at) {
            return at[plain].index == 0 ? of(in, at) : of_plain(in, plain_program(program.nest));
        };
    };
    processor_shape const processor = options.processor ? *options.processor : this_processor();
    out.space.rows = without_plain(
        std::move(out.space.rows), [processor](description const& in, loop_program const& loops) {
            return features_of(loops, processor, inputs_of_nest(loops.nest, in));
        });
    out.space.structure = without_plain(
        std::move(out.space.structure),
        [](description const&, loop_program const& loops) { return structure_of(loops); });
    if (options.tune_each_size)
        for (std::size_t i = 0; i < program.nest.inputs.size(); ++i) {
            auto const is_this = [i](nest_extent const& e) { return e.input == i; };
            bool is_extent = false;
            for (nest_axis const& axis : program.nest.axes)
                is_extent = is_extent || is_this(axis.extent);
            for (nest_array const& array : program.nest.arrays)
                is_extent =
                    is_extent || std::any_of(array.extents.begin(), array.extents.end(), is_this);
            if (is_extent)
                out.space.inputs.push_back({program.nest.inputs[i].name, value_kind::integer, {}});
        }
    return out;
}

ATTUNE_INLINE std::string show_program(program_text const& program, std::string_view configuration,
                                       program_options const& options)
{
    derived_space const derived = space_of(program.nest, options);
    chain_of_trees const space(space_with_plain(derived));
    point const at = point_in_text(space, default_schedule_of(space), configuration);
    traced_program const made = is_plain(space.describe(), at)
                                    ? traced_program{plain_program(program.nest), {}}
                                    : derived.schedule(at);
    std::string const parallel =
        options.processor && options.processor->cores > 1 ? "Parallel with -fopenmp. " : "";
    return as_comment(text_of(program.nest) + "\nSchedule: " + text_of(space.describe(), at) +
                      "\n" + parallel + steps_comment(made)) +
           '\n' + write_program(made.program);
}

[[nodiscard]] inline device_program_arguments device_arguments_of_call(program_text const& of)
{
    device_program_arguments out{of.arguments, {}};
    for (std::string const& type : of.signature.arguments)
        out.types.push_back(device_type(type));
    return out;
}

ATTUNE_INLINE device_program_kernel device_kernel_of(program_text const& program,
                                                     std::optional<device_limits> const& device)
{
    auto const space = std::make_shared<device_space const>(program.nest, device);
    device_program_kernel out;
    out.source = {"attune program for a GPU, writer " + std::to_string(device_writer_version) +
                      '\n' + text_of(program.nest),
                  program.nest.name + ".program.cu"};
    out.source.generator = generator_from([space, arguments = device_arguments_of_call(program)](
                                              description const&, point const& at) {
        return write_device_program(space->schedule(at), arguments);
    });
    out.space = space->describe();
    out.launch.grid[0] = space->blocks();
    out.launch.block[0] = space->threads();
    out.launch.shared_bytes = space->shared_bytes();
    return out;
}

ATTUNE_INLINE std::string show_device_program(program_text const& program,
                                              std::string_view configuration,
                                              std::optional<device_limits> const& device)
{
    device_space const derived(program.nest, device);
    // A configuration that is valid for any sizes is valid for arrays of one element.
    std::vector<input_value> ones;
    for (input_description const& input : derived.describe().inputs)
        ones.emplace_back(input.name, number::of(std::int64_t{1}));
    chain_of_trees const space(bind_inputs(derived.describe(), ones));
    point const at = point_in_text(space, default_schedule_of(space), configuration);
    return as_comment(text_of(program.nest) + "\nSchedule: " + text_of(space.describe(), at)) +
           '\n' + write_device_program(derived.schedule(at), device_arguments_of_call(program));
}

} // namespace attune::inline ATTUNE_ABI::detail
