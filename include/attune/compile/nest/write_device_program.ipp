// attune/compile/nest/write_device_program.ipp - the definitions of write_device_program.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/device_prelude.hpp>
#include <attune/compile/nest/detail/device_rows.hpp>
#include <attune/compile/nest/detail/device_scope.hpp>
#include <attune/compile/nest/detail/device_tiles.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/compile/nest/write_device_program.hpp>

#include <algorithm>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Returns true if 32-bit numbers count all steps and elements, with room for the last tile.
[[nodiscard]] inline bool is_counted_by_int(nest_description const& nest)
{
    constexpr double most = 1 << 30;
    auto const is_small = [](std::vector<nest_extent> const& extents) {
        double product = 1;
        for (nest_extent const& e : extents) {
            if (e.input != no_index) return false;
            product *= static_cast<double>(e.constant);
        }
        return product < most;
    };
    for (nest_array const& array : nest.arrays)
        if (!is_small(array.extents)) return false;
    for (nest_statement const& statement : nest.statements) {
        std::vector<nest_extent> spatial;
        std::vector<nest_extent> reduced;
        for (std::size_t i = 0; i < statement.axes.size(); ++i)
            (i < statement.spatial_count ? spatial : reduced)
                .push_back(nest.axes[statement.axes[i]].extent);
        if (!is_small(spatial) || !is_small(reduced)) return false;
    }
    for (nest_access const& access : nest.accesses)
        for (affine_index const& index : access.at) {
            double most_here = static_cast<double>(index.offset < 0 ? -index.offset : index.offset);
            for (affine_term const& term : index.terms)
                most_here += static_cast<double>(term.factor < 0 ? -term.factor : term.factor) *
                             static_cast<double>(nest.axes[term.axis].extent.constant);
            if (most_here >= most) return false;
        }
    return true;
}

} // namespace detail

ATTUNE_INLINE device_program_arguments device_arguments_of(nest_description const& nest)
{
    device_program_arguments out;
    for (std::size_t a = 0; a < nest.arrays.size(); ++a) {
        nest_array const& array = nest.arrays[a];
        if (array.role == nest_role::temporary) continue;
        out.order.push_back(a);
        std::string const type = array.element == element_type::f16 ? "__half"
                                 : array.element == element_type::bf16
                                     ? "__nv_bfloat16"
                                     : std::string(detail::cpp_name(array.element));
        out.types.push_back(type + (array.role == nest_role::read ? " const*" : "*"));
    }
    for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
        out.order.push_back(nest.arrays.size() + i);
        out.types.emplace_back(detail::cpp_name(nest.inputs[i].type));
    }
    return out;
}

ATTUNE_INLINE std::string write_device_program(device_program const& program,
                                               device_program_arguments const& arguments)
{
    nest_description const& nest = program.nest;
    if (detail::has_local_names(nest)) {
        device_program renamed = program;
        renamed.nest = detail::without_local_names(nest);
        return write_device_program(renamed, arguments);
    }
    detail::device_scope scope(program);
    detail::device_lines& t = scope.text;
    t.line(std::string("typedef ") + (detail::is_counted_by_int(nest) ? "int" : "long long") +
           " index_;");
    for (element_type const type : {element_type::f16, element_type::bf16})
        if (std::any_of(nest.arrays.begin(), nest.arrays.end(),
                        [type](nest_array const& array) { return array.element == type; }))
            t.out += detail::half_text(type);
    if (std::any_of(nest.nodes.begin(), nest.nodes.end(),
                    [&nest](nest_node const& node) { return detail::may_trap(nest, node); }))
        t.out += detail::quotient_text();
    if (program.form == device_form::tiles && program.copies_asynchronously())
        t.out += detail::copies_text();
    if (program.uses_tensor_cores) {
        device_operand const& first = program.operands.front();
        device_operand const& second = program.operands.back();
        t.out += detail::matrix_text(program.element_of(first.is_of_rows ? first : second),
                                     program.element_of(first.is_of_rows ? second : first));
    }
    t.line("template <class T, int N>");
    t.line("struct alignas(sizeof(T) * N) pack_ {");
    t.line("    T at[N];");
    t.line("};");
    t.line("");
    std::string parameters;
    std::string named_again; // arrays of CUDA's half types, as the structures of this text
    for (std::size_t i = 0; i < arguments.order.size(); ++i) {
        std::size_t const which = arguments.order[i];
        bool const is_array = which < nest.arrays.size();
        std::string name =
            is_array ? nest.arrays[which].name : nest.inputs[which - nest.arrays.size()].name;
        if (is_array && detail::is_half_type(nest.arrays[which].element)) {
            std::string const type = std::string(detail::device_name(nest.arrays[which].element)) +
                                     (nest.arrays[which].role == nest_role::read ? " const*" : "*");
            std::string const given = name + "_given_";
            named_again += "    " + type + " const " + name + " = reinterpret_cast<" + type + ">(" +
                           given + ");\n";
            name = given;
        }
        parameters +=
            (i == 0 ? "" : ", ") + arguments.types[i] + (is_array ? " __restrict__ " : " ") + name;
    }
    t.line("extern \"C\" __global__ void __launch_bounds__(" + std::to_string(program.threads()) +
           ") " + nest.name + '(' + parameters + ')');
    t.open("");
    t.out += named_again;
    if (program.form == device_form::tiles)
        detail::device_tiles_writer(scope).write();
    else
        detail::device_rows_writer(scope).write();
    t.close();
    return t.out;
}

} // namespace attune::inline ATTUNE_ABI
