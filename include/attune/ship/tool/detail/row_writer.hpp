// attune/ship/tool/detail/row_writer.hpp - configurations as lines of a table, fast.
// SPDX-License-Identifier: MIT
// Source   own: the text of each value is made once, between what stands before and behind it
// tested by ship/tool/rows.cpp
#pragma once

#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/order.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/text.hpp>
#include <attune/ship/tool/detail/csv.hpp>
#include <attune/ship/tool/detail/problem_text.hpp>
#include <attune/ship/tool/detail/space_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

enum class row_format : std::uint8_t {
    csv,   ///< RFC 4180, under a line of names
    jsonl, ///< a JSON object per line, as `attune ask` gives and takes
};

/// Text that grows at its end, without a zero for each byte first.
struct row_text {
    std::vector<char> bytes{};
    std::size_t used = 0;

    [[nodiscard]] std::string_view view() const noexcept { return {bytes.data(), used}; }
    /// Room for `more` bytes behind those used.
    [[nodiscard]] char* room(std::size_t more)
    {
        if (bytes.size() - used < more) bytes.resize(std::max(2 * bytes.size(), used + more));
        return bytes.data() + used;
    }
};

/// Writes the configurations of one space, whose parameters are all discrete. An inactive parameter
/// has its one value.
class row_writer {
public:
    /// @param space  outlives this
    row_writer(description const& space, row_format format)
        : space_(&space)
        , format_(format)
    {
        std::uint32_t values_left = most_texts;
        std::vector<named_value> const all = named_values(space);
        bool const is_csv = format == row_format::csv;
        for (std::size_t i = 0; i < all.size(); ++i) {
            named_value const& v = all[i];
            std::string opening = i > 0 ? "," : is_csv ? "" : "{";
            if (!is_csv) opening += line_of(tool_json(std::string(v.name))) + ':';
            std::string const closing = i + 1 < all.size() ? "" : is_csv ? "\n" : "}\n";
            std::uint32_t const steps = v.is_array() ? v.count : 1;
            for (std::uint32_t k = 0; k < steps; ++k) {
                piece made{.value = v, .opening = k == 0 ? opening : is_csv ? ", " : ","};
                if (v.is_array()) {
                    made.value.first = v.first + k;
                    made.value.count = 1;
                    made.is_element = true;
                    if (k == 0) made.opening += is_csv ? "\"{" : "[";
                    if (k + 1 == steps) made.closing = is_csv ? "}\"" : "]";
                }
                if (k + 1 == steps) made.closing += closing;
                make_texts(made, values_left);
                pieces_.push_back(std::move(made));
            }
        }
    }

    /// What stands above the rows: the names; or nothing.
    [[nodiscard]] std::string head() const
    {
        if (format_ != row_format::csv) return "";
        std::string out;
        for (named_value const& v : named_values(*space_))
            out += (out.empty() ? "" : ",") + csv_text(v.name);
        return out + '\n';
    }

    /// About the most bytes of a row.
    [[nodiscard]] std::size_t row_bytes() const noexcept { return most_bytes_ + changing_bytes_; }

    /// Appends one row.
    void append(point const& at, row_text& out)
    {
        std::size_t most = most_bytes_;
        for (std::uint32_t const i : changing_) {
            refresh(pieces_[i], at);
            most += pieces_[i].text.size();
        }
        char* const begin = out.room(most);
        char* to = begin;
        for (piece const& p : pieces_) {
            if (p.stride == 0) {
                std::memcpy(to, p.text.data(), p.text.size());
                to += p.text.size();
                continue;
            }
            // Whole sixteens: what is too much is written over by the next piece.
            std::uint32_t const value = at[p.value.first].index;
            char const* const from = p.texts.data() + std::size_t{value} * p.stride;
            std::size_t const length = p.lengths[value];
            std::size_t done = 0;
            do {
                std::memcpy(to + done, from + done, step);
                done += step;
            } while (done < length);
            to += length;
        }
        if (pieces_.empty()) to = write_empty(to);
        out.used += static_cast<std::size_t>(to - begin);
    }

private:
    static constexpr std::size_t step = 16;
    /// Values whose text is kept, of all parameters; those of longer tables are made anew.
    static constexpr std::uint32_t most_texts = std::uint32_t{1} << 18U;

    struct piece {
        named_value value{}; ///< of an array one element
        std::string opening{};
        std::string closing{};
        bool is_element = false;
        std::size_t stride = 0;               ///< bytes per text; 0: there is no table of them
        std::vector<char> texts{};            ///< by value
        std::vector<std::uint32_t> lengths{}; ///< by value, bytes
        std::vector<std::uint32_t> shown{};   ///< without a table: the coordinates of `text`
        std::string text{};
    };

    [[nodiscard]] std::string text_of_value(piece const& p, point const& at) const
    {
        parameter_description const& parameter = space_->parameters[p.value.first];
        coordinate const here = at[p.value.first];
        if (format_ == row_format::jsonl)
            return line_of(p.value.is_long_order() ? tool_json(order_of(*space_, p.value.first, at))
                                                   : json_of(parameter, here));
        if (p.value.is_long_order()) return csv_text(text_at(*space_, p.value, at));
        if (!p.is_element) return csv_text(attune::text_of(parameter, here));
        std::string out;
        for (char const c : escaped_text(attune::text_of(parameter, here), escaping::reversible))
            out += c == '"' ? std::string("\"\"") : std::string{c};
        return out;
    }

    /// The table of a piece, where its values are not too many.
    void make_texts(piece& p, std::uint32_t& values_left)
    {
        std::uint32_t const values =
            p.value.is_long_order() ? 0 : space_->parameters[p.value.first].value_count();
        if (values == 0 || values > values_left) {
            changing_.push_back(static_cast<std::uint32_t>(pieces_.size()));
            refresh(p, point(space_->parameters.size()));
            changing_bytes_ += p.text.size();
            return;
        }
        values_left -= values;
        std::vector<std::string> all;
        point at(space_->parameters.size());
        for (std::uint32_t value = 0; value < values; ++value) {
            at[p.value.first].index = value;
            all.push_back(p.opening + text_of_value(p, at) + p.closing);
            p.lengths.push_back(static_cast<std::uint32_t>(all.back().size()));
        }
        std::size_t const longest = *std::max_element(p.lengths.begin(), p.lengths.end());
        p.stride = (longest + step - 1) / step * step;
        p.texts.assign(p.stride * values, ' ');
        for (std::size_t value = 0; value < values; ++value)
            std::copy(all[value].begin(), all[value].end(),
                      p.texts.begin() + static_cast<std::ptrdiff_t>(value * p.stride));
        most_bytes_ += p.stride;
    }

    /// Makes the text of a piece without a table, where its coordinates are others.
    void refresh(piece& p, point const& at)
    {
        std::span<coordinate const> const here =
            std::span(at).subspan(p.value.first, p.value.count);
        auto const same = [](std::uint32_t shown, coordinate c) { return shown == c.index; };
        if (std::equal(p.shown.begin(), p.shown.end(), here.begin(), here.end(), same)) return;
        p.shown.clear();
        for (coordinate const c : here)
            p.shown.push_back(c.index);
        p.text = p.opening + text_of_value(p, at) + p.closing;
    }

    /// The row of a space without parameters.
    char* write_empty(char* to) const
    {
        std::string_view const text = format_ == row_format::csv ? "\n" : "{}\n";
        return std::copy(text.begin(), text.end(), to);
    }

    description const* space_;
    row_format format_;
    std::vector<piece> pieces_{};
    std::vector<std::uint32_t> changing_{}; ///< pieces without a table
    std::size_t most_bytes_ = step;         ///< of a row's pieces with a table, and what is behind
    std::size_t changing_bytes_ = 0;        ///< of the others, with their first value
};

} // namespace attune::inline ATTUNE_ABI::detail::tool
