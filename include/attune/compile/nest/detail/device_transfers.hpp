// attune/compile/nest/detail/device_transfers.hpp - the transfer of tiles into shared memory, as CUDA text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/device_scope.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Writes the tiles of all operands, and functions of the block's threads for operand 0, 1, ...: by
/// registers fetch_0_(first step of the depth) and put_0_(stage), for asynchronous copies
/// copy_0_(first step, stage).
class device_transfers_writer {
public:
    explicit device_transfers_writer(device_scope& scope)
        : s_(scope)
        , p_(scope.program)
    {
    }

    void write()
    {
        tiles();
        for (std::size_t o = 0; o < p_.operands.size(); ++o) {
            begin_transfer(o);
            if (p_.copies_asynchronously())
                copies(o);
            else
                transfers(o);
        }
    }

private:
    [[nodiscard]] static std::string text(std::int64_t n) { return std::to_string(n); }
    [[nodiscard]] nest_access const& access_of(device_operand const& o) const
    {
        return s_.nest.accesses[o.access];
    }
    [[nodiscard]] nest_array const& array_of(device_operand const& o) const
    {
        return s_.nest.arrays[access_of(o).array];
    }

    /// The share of each thread of a block in the loads of an operand's tile.
    struct transfer {
        std::string n;    ///< "0_"
        std::string type; ///< type of an element
        std::string pack; ///< type of one load
        std::int64_t width = 1;
        std::int64_t packs = 0; ///< number of packs in the tile
        std::int64_t loads = 0; ///< loads of a thread
        std::int64_t line = 0;  ///< loads of a line in memory
    };
    [[nodiscard]] transfer transfer_of(std::size_t o) const
    {
        device_operand const& operand = p_.operands[o];
        transfer out;
        out.n = std::to_string(o) + '_';
        out.type = device_name(array_of(operand).element);
        out.width = p_.load_width(operand);
        out.pack = "pack_<" + out.type + ", " + text(out.width) + '>';
        out.packs = p_.block_depth * p_.across(operand) / out.width;
        out.loads = (out.packs + p_.threads() - 1) / p_.threads();
        out.line = (operand.runs_along_depth ? p_.block_depth : p_.across(operand)) / out.width;
        return out;
    }

    /// Writes the tiles of all operands, one behind the other in shared memory: the stages of each.
    void tiles()
    {
        device_lines& t = s_.text;
        t.line("");
        t.line("extern __shared__ __align__(16) unsigned char memory_[];");
        std::int64_t at = 0;
        for (std::size_t o = 0; o < p_.operands.size(); ++o) {
            device_operand const& operand = p_.operands[o];
            std::string const n = std::to_string(o) + '_';
            bool const by_depth = p_.has_lines_by_depth(operand);
            t.line("typedef " + std::string(device_name(array_of(operand).element)) + " tile_of_" +
                   n + '[' + text(by_depth ? p_.block_depth : p_.across(operand)) + "][" +
                   text(p_.tile_line(operand)) + "];");
            t.line("tile_of_" + n + "* const tile_" + n + " = reinterpret_cast<tile_of_" + n +
                   "*>(memory_ + " + text(at) + "); // " + text(p_.stages));
            at += p_.tile_bytes(operand);
        }
    }

    /// Writes if an operand's loads are wide in this call.
    void begin_transfer(std::size_t o)
    {
        device_operand const& operand = p_.operands[o];
        transfer const of = transfer_of(o);
        s_.text.line("");
        if (of.width == 1) return;
        std::string condition = "reinterpret_cast<unsigned long long>(" + array_of(operand).name +
                                ") % " + text(16) + " == 0";
        for (nest_extent const& e : p_.running_extents(operand))
            if (e.input != no_index)
                condition += " && " + s_.extent(e) + " % " + text(of.width) + " == 0";
        s_.text.line("bool const is_wide_" + of.n + " = " + condition + ';');
    }

    /// Opens the loop over a thread's loads; each begins at step_ and place_ of the tile.
    void each_load(std::size_t o)
    {
        device_lines& t = s_.text;
        transfer const of = transfer_of(o);
        bool const runs_along_depth = p_.operands[o].runs_along_depth;
        t.line("#pragma unroll");
        t.open("for (int load_ = 0; load_ < " + text(of.loads) + "; ++load_)");
        t.line("int const pack_at_ = thread_ + load_ * " + text(p_.threads()) + ';');
        if (of.packs % p_.threads() != 0) t.line("if (pack_at_ >= " + text(of.packs) + ") break;");
        std::string const along = "pack_at_ % " + text(of.line) + " * " + text(of.width);
        std::string const other = "pack_at_ / " + text(of.line);
        t.line("int const step_ = " + (runs_along_depth ? along : other) + ';');
        t.line("int const place_ = " + (runs_along_depth ? other : along) + ';');
    }

    /// Names the axes of the element at step_ and place_, or of the one `part` behind it in memory.
    /// @returns  condition that it is inside of the product
    [[nodiscard]] std::string name_axes(device_operand const& operand, std::string const& part)
    {
        device_lines& t = s_.text;
        std::string const more = part.empty() ? part : " + " + part;
        t.line("index_ const depth_at_ = from_ + step_" + (operand.runs_along_depth ? more : "") +
               ';');
        t.line("index_ const place_at_ = " +
               std::string(operand.is_of_rows ? "first_row_" : "first_column_") + " + place_" +
               (operand.runs_along_depth ? "" : more) + ';');
        s_.take_apart(p_.depth, "depth_at_");
        s_.take_apart(operand.is_of_rows ? p_.rows : p_.columns, "place_at_");
        return std::string("depth_at_ < depths_ && place_at_ < ") +
               (operand.is_of_rows ? "rows_" : "columns_");
    }
    /// Adds the condition that it is inside of its array.
    [[nodiscard]] std::string with_guard(device_operand const& operand,
                                         std::string const& inside) const
    {
        std::string const guard = s_.guard(access_of(operand));
        return guard.empty() ? inside : inside + " && " + guard;
    }

    /// The element of a tile at step_ and place_, or `part` behind it in memory.
    [[nodiscard]] std::string tile_element(std::size_t o, std::string const& part) const
    {
        device_operand const& operand = p_.operands[o];
        std::string const more = part.empty() ? part : " + " + part;
        std::string const step = "step_" + (operand.runs_along_depth ? more : "");
        std::string const place = "place_" + (operand.runs_along_depth ? "" : more);
        bool const by_depth = p_.has_lines_by_depth(operand);
        return "tile_" + std::to_string(o) + "_[stage_][" + (by_depth ? step : place) + "][" +
               (by_depth ? place : step) + ']';
    }

    /// Writes `wide` for wide loads, `each` for every part of a load otherwise.
    void wide_or_each(transfer const& of, auto const& wide, auto const& each)
    {
        device_lines& t = s_.text;
        if (of.width > 1) {
            t.open("if (is_wide_" + of.n + ')');
            wide();
            t.close("} else {");
            ++t.depth;
        }
        t.line("#pragma unroll");
        t.open("for (int part_ = 0; part_ < " + text(of.width) + "; ++part_)");
        each();
        t.close();
        if (of.width > 1) t.close();
    }

    /// Writes functions that fetch a tile into registers, and put it into shared memory.
    void transfers(std::size_t o)
    {
        device_lines& t = s_.text;
        device_operand const& operand = p_.operands[o];
        transfer const of = transfer_of(o);
        t.line(of.pack + " held_" + of.n + '[' + text(of.loads) + "];");
        t.open("auto const fetch_" + of.n + " = [&](index_ from_)");
        each_load(o);
        t.line(of.pack + " got_{};");
        wide_or_each(
            of,
            [&] {
                std::string const inside = name_axes(operand, "");
                t.line("if (" + with_guard(operand, inside) + ") got_ = *reinterpret_cast<" +
                       of.pack + " const*>(&" + s_.element(access_of(operand)) + ");");
            },
            [&] {
                std::string const inside = name_axes(operand, "part_");
                t.line("if (" + inside + ") got_.at[part_] = " + s_.read(operand.access) + ';');
            });
        t.line("held_" + of.n + "[load_] = got_;");
        t.close();
        t.close("};");
        t.open("auto const put_" + of.n + " = [&](int stage_)");
        each_load(o);
        if (p_.uses_tensor_cores && !p_.is_transposed(operand)) {
            // A pack is a part of a line, and lines are multiples of 16 bytes.
            t.line("*reinterpret_cast<" + of.pack + "*>(&" + tile_element(o, "") + ") = held_" +
                   of.n + "[load_];");
        } else {
            t.line("#pragma unroll");
            t.line("for (int part_ = 0; part_ < " + text(of.width) + "; ++part_)");
            t.line("    " + tile_element(o, "part_") + " = held_" + of.n + "[load_].at[part_];");
        }
        t.close();
        t.close("};");
    }

    /// Writes a function that begins to copy a tile from memory into shared memory, with zeros
    /// outside. No device copies elements of less than 4 bytes singly; a plain store writes these
    /// at once.
    void copies(std::size_t o)
    {
        device_lines& t = s_.text;
        device_operand const& operand = p_.operands[o];
        transfer const of = transfer_of(o);
        auto const bytes = static_cast<std::int64_t>(element_bytes(array_of(operand).element));
        auto const copy = [&](std::int64_t width, std::string const& part) {
            std::string const inside = name_axes(operand, part);
            t.line("bool const is_inside_ = " + with_guard(operand, inside) + ';');
            t.line("copy_async_<" + text(width * bytes) + ">(&" + tile_element(o, part) +
                   ", is_inside_ ? &" + s_.element(access_of(operand)) + " : " +
                   array_of(operand).name + ", is_inside_);");
        };
        t.open("auto const copy_" + of.n + " = [&](index_ from_, int stage_)");
        each_load(o);
        wide_or_each(
            of, [&] { copy(of.width, ""); },
            [&] {
                if (bytes >= 4) {
                    copy(1, "part_");
                    return;
                }
                t.line(of.type + " got_{};");
                std::string const inside = name_axes(operand, "part_");
                t.line("if (" + inside + ") got_ = " + s_.read(operand.access) + ';');
                t.line(tile_element(o, "part_") + " = got_;");
            });
        t.close();
        t.close("};");
    }

    device_scope& s_;
    device_program const& p_;
};

} // namespace attune::inline ATTUNE_ABI::detail
