// attune/compile/nest/write_program.ipp - the definitions of write_program.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_address.hpp>
#include <attune/compile/nest/detail/nest_prelude.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/compile/nest/detail/nest_values.hpp>
#include <attune/compile/nest/detail/nest_walk.hpp>
#include <attune/compile/nest/write_program.hpp>
#include <attune/core/error.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Writes the name of a form: the array's extents, the function of each coordinate, the array's
/// indices as functions of the coordinates, and the order of the elements.
class form_name {
public:
    form_name(loop_program const& program, std::uint32_t b, std::vector<std::uint32_t>& inputs)
        : nest_(program.nest)
        , buffer_(program.buffers[b])
        , inputs_(inputs)
    {
        nest_array const& array = nest_.arrays[buffer_.array];
        out_ = std::string(cpp_name(array.element));
        for (nest_extent const& one : array.extents)
            out_ += '[' + extent(one) + ']';
        for (program_copy const& copy : program.copies)
            if (copy.buffer == b && copy.kind == copy_kind::load &&
                nest_.accesses[copy.access].is_padded)
                out_ += " padded";
        out_ += " of";
        for (affine_index const& one : buffer_.coordinates) {
            out_ += ' ' + std::to_string(one.offset);
            for (affine_term const& term : one.terms)
                out_ += '+' + std::to_string(term.factor) + '<' +
                        extent(nest_.axes[term.axis].extent) + '>';
        }
        out_ += " at";
        for (affine_index const& one : buffer_.source) {
            out_ += ' ' + std::to_string(one.offset);
            for (affine_term const& term : one.terms)
                out_ += '+' + std::to_string(term.factor) + '(' + std::to_string(term.axis) + ')';
        }
        out_ += " in";
        for (layout_digit const& digit : buffer_.layout)
            out_ += ' ' + std::to_string(digit.coordinate) + '/' + std::to_string(digit.step);
    }
    [[nodiscard]] std::string const& text() const noexcept { return out_; }

private:
    [[nodiscard]] std::string extent(nest_extent const& of)
    {
        if (of.input == no_index) return std::to_string(of.constant);
        auto const at = std::find(inputs_.begin(), inputs_.end(), of.input);
        auto const place = static_cast<std::size_t>(at - inputs_.begin());
        if (at == inputs_.end()) inputs_.push_back(of.input);
        return '#' + std::to_string(place);
    }

    nest_description const& nest_;
    program_buffer const& buffer_;
    std::vector<std::uint32_t>& inputs_;
    std::string out_;
};

} // namespace detail

ATTUNE_INLINE std::vector<kept_form> kept_forms(loop_program const& program,
                                                std::string const& function)
{
    std::vector<kept_form> out;
    for (std::uint32_t b = 0; b < program.buffers.size(); ++b) {
        if (!detail::keeps_form(program, b)) continue;
        detail::nest_scope scope(program);
        detail::program_walk const sized(scope);
        program_buffer const& buffer = program.buffers[b];
        kept_form one;
        one.argument = buffer.name;
        one.array = buffer.array;
        one.element = std::string(detail::cpp_name(buffer.element));
        one.elements = "1L * " + text_of(detail::buffer_size(scope, buffer, b));
        one.fill = (function.empty() ? program.nest.name : function) + "_fill_" + buffer.name;
        one.name = detail::form_name(program, b, one.inputs).text();
        out.push_back(std::move(one));
    }
    return out;
}

namespace detail {

[[nodiscard]] inline bool calls_mathematics(nest_description const& nest)
{
    for (nest_node const& node : nest.nodes)
        if (rules_of(node.code).group == nest_group::function) return true;
    return false;
}

[[nodiscard]] inline std::string arguments_text(nest_description const& nest,
                                                std::vector<kept_form> const& forms)
{
    std::string out;
    auto const add = [&out](std::string const& text) { out += (out.empty() ? "" : ", ") + text; };
    auto const has_form = [&](nest_array const& array) {
        for (kept_form const& form : forms)
            if (nest.arrays[form.array].name == array.name) return true;
        return false;
    };
    for (nest_array const& array : nest.arrays) {
        if (array.role == nest_role::temporary) continue;
        std::string const constant = array.role == nest_role::read ? " const" : "";
        add((has_form(array) ? "[[maybe_unused]] " : "") + std::string(cpp_name(array.element)) +
            constant + "* __restrict " + array.name);
        if (array.has_row_stride) add("long " + array.name + "_stride");
    }
    for (nest_input const& input : nest.inputs)
        add(std::string(cpp_name(input.type)) + ' ' + input.name);
    for (kept_form const& form : forms)
        add(form.element + " const* __restrict " + form.argument);
    return out;
}

inline void write_fill(nest_scope& scope, kept_form const& form, std::uint32_t buffer,
                       std::string const& linkage)
{
    nest_description const& nest = scope.program.nest;
    std::string const& array = nest.arrays[form.array].name;
    std::string arguments = form.element + " const* __restrict " + array + ", " + form.element +
                            "* __restrict " + form.argument;
    for (std::uint32_t const input : form.inputs)
        arguments +=
            ", " + std::string(cpp_name(nest.inputs[input].type)) + ' ' + nest.inputs[input].name;
    scope.line("// " + array + ", once for all calls: " + form.elements + " elements.");
    scope.line(linkage + "void " + form.fill + '(' + arguments + ')');
    scope.open("{");
    program_walk(scope).write_fill(buffer);
    scope.close();
    scope.line("");
}

/// Returns true if a block reads or writes an array itself, not a buffer in its place.
[[nodiscard]] inline bool is_touched(loop_program const& program, std::uint32_t array)
{
    bool touched = false;
    each_block(program, program.body, [&](std::uint32_t b) {
        program_block const& block = program.blocks[b];
        nest_statement const& statement = program.nest.statements[block.statement];
        if (block.target == no_index && statement.target.array == array) touched = true;
        std::vector<bool> seen(program.nest.nodes.size(), false);
        std::vector<std::uint32_t> open{statement.value};
        while (!open.empty()) {
            std::uint32_t const n = open.back();
            open.pop_back();
            if (n == no_index || seen[n]) continue;
            seen[n] = true;
            nest_node const& node = program.nest.nodes[n];
            open.insert(open.end(), {node.first, node.second, node.third});
            if (node.code != nest_op::access || program.nest.accesses[node.access].array != array)
                continue;
            bool is_replaced = false;
            for (buffer_use const& use : block.reads)
                is_replaced = is_replaced || use.access == node.access;
            touched = touched || !is_replaced;
        }
    });
    for (program_copy const& copy : program.copies)
        touched = touched ||
                  (copy.kind == copy_kind::load && program.buffers[copy.buffer].array == array);
    return touched;
}

inline void declare_temporaries(nest_scope& scope)
{
    loop_program const& program = scope.program;
    for (std::uint32_t a = 0; a < program.nest.arrays.size(); ++a) {
        nest_array const& array = program.nest.arrays[a];
        if (array.role != nest_role::temporary || !is_touched(program, a)) continue;
        nest_size size;
        for (nest_extent const& extent : array.extents)
            size.multiply(scope.size_of(extent));
        std::string const type(cpp_name(array.element));
        scope.line("vec::memory<" + type + "> const " + array.name + "_memory(1L * " +
                   text_of(size) + ");");
        scope.line(type + "* __restrict const " + array.name + " = " + array.name +
                   "_memory.data();");
    }
}

/// Elements of a call's array between neighbours along dimension d.
[[nodiscard]] inline nest_size whole_stride_of(nest_scope const& scope, std::uint32_t a,
                                               std::uint32_t d)
{
    nest_array whole = scope.program.nest.arrays[a];
    for (program_slice const& slice : scope.program.slices)
        if (slice.dimensions[a] != no_index) whole.extents[slice.dimensions[a]] = slice.extent;
    return stride_of(scope, whole, d);
}

/// Writes the function that calls `part` for each slice.
inline void write_slices(nest_scope& scope, std::string const& head, std::string const& part,
                         std::vector<kept_form> const& forms)
{
    loop_program const& program = scope.program;
    nest_description const& nest = program.nest;
    scope.line(head);
    scope.open("{");
    std::vector<std::string> variables;
    for (program_slice const& slice : program.slices) {
        std::string const name = scope.new_name(nest.axes[slice.axis].name + "_slice");
        if (slice.is_parallel) scope.line("#pragma omp parallel for schedule(static)");
        scope.open("for (long " + name + " = 0; " + name + " < " +
                   scope.text_of_extent(slice.extent) + "; " + name +
                   " += " + std::to_string(slice.step) + ") {");
        variables.push_back(name);
    }
    std::string arguments;
    auto const add = [&](std::string const& text) {
        arguments += (arguments.empty() ? "" : ", ") + text;
    };
    for (std::uint32_t a = 0; a < nest.arrays.size(); ++a) {
        nest_array const& array = nest.arrays[a];
        if (array.role == nest_role::temporary) continue;
        std::string position;
        for (std::size_t s = 0; s < variables.size(); ++s)
            if (std::uint32_t const d = program.slices[s].dimensions[a]; d != no_index)
                append_sum(position, product_text({{{variables[s], 1, 1, -1}}, 0},
                                                  whole_stride_of(scope, a, d)));
        add(position.empty() ? array.name : array.name + " + " + position);
        if (array.has_row_stride) add(array.name + "_stride");
    }
    for (nest_input const& input : nest.inputs)
        add(input.name);
    for (kept_form const& form : forms)
        add(form.argument);
    scope.line("::" + part + '(' + arguments + ");");
    for (std::size_t s = 0; s < variables.size(); ++s)
        scope.close();
    scope.close();
}

} // namespace detail

ATTUNE_INLINE std::string write_program(loop_program const& program,
                                        program_text_options const& options)
{
    for (nest_array const& array : program.nest.arrays)
        if (array.element == element_type::opaque)
            throw error("an array has elements that no C++ number stands for", array.name,
                        "declare it with float, double, half or an integer type");
    if (detail::has_local_names(program.nest)) {
        loop_program renamed = program;
        std::set<std::string> taken;
        for (program_buffer const& buffer : program.buffers)
            taken.insert(buffer.name);
        renamed.nest = detail::without_local_names(program.nest, std::move(taken));
        return write_program(renamed, options);
    }
    std::string text;
    auto const has = [&](element_type type) {
        return std::any_of(program.nest.arrays.begin(), program.nest.arrays.end(),
                           [&](nest_array const& array) { return array.element == type; });
    };
    if (has(element_type::f16)) text += detail::nest_prelude_half;
    if (has(element_type::bf16)) text += detail::nest_prelude_bfloat;
    if (options.has_prelude) {
        text += detail::nest_prelude;
        if (detail::calls_mathematics(program.nest)) text += detail::nest_prelude_math;
        for (program_block const& block : program.blocks)
            if (block.is_streamed) {
                text += detail::nest_prelude_stream;
                break;
            }
        text += detail::nest_prelude_end;
        text += '\n';
    }
    std::string const name = options.function.empty() ? program.nest.name : options.function;
    std::vector<kept_form> const forms = kept_forms(program, name);
    for (std::uint32_t b = 0, f = 0; f < forms.size(); ++b) {
        if (!detail::keeps_form(program, b)) continue;
        detail::nest_scope fill(program);
        detail::write_fill(fill, forms[f++], b, options.linkage);
        text += fill.out;
    }
    detail::nest_scope scope(program);
    std::string const arguments = '(' + detail::arguments_text(program.nest, forms) + ')';
    std::string const head = options.linkage + "void " + name + arguments;
    std::string const part = name + "_part";
    scope.line(program.slices.empty()
                   ? head
                   : "static void " + part + arguments +
                         " __attribute__((noinline));\nstatic void " + part + arguments);
    scope.open("{");
    detail::declare_temporaries(scope);
    detail::program_walk(scope).write();
    scope.close();
    if (!program.slices.empty()) {
        detail::nest_scope around(program);
        detail::write_slices(around, head, part, forms);
        scope.out += '\n' + around.out;
    }
    return text + scope.out;
}

} // namespace attune::inline ATTUNE_ABI
