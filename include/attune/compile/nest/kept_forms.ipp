// attune/compile/nest/kept_forms.ipp - names what forms of constant arrays hold.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_address.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/compile/nest/detail/nest_walk.hpp>
#include <attune/compile/nest/kept_forms.hpp>

#include <algorithm>
#include <cstddef>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Writes the name of one form: the array's extents, then of each coordinate what it is a function
/// of, the array's indices as functions of the coordinates, and the order of the elements.
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

} // namespace attune::inline ATTUNE_ABI
