// attune/ship/tool/detail/rows.hpp - configurations as lines of a table, from several threads.
// SPDX-License-Identifier: MIT
// tested by ship/tool/rows.cpp
// Source   own: the text of each value is made once, between what stands before and behind it
#pragma once

#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/text.hpp>
#include <attune/ship/tool/detail/csv.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

enum class row_format : std::uint8_t {
    csv,   ///< RFC 4180, under a line of names
    jsonl, ///< a JSON object per line, as in `attune ask`
};

/// Text that grows at its end, without initialising its bytes.
struct row_text {
    std::vector<char> bytes{};
    std::size_t used = 0;

    [[nodiscard]] std::string_view view() const noexcept { return {bytes.data(), used}; }
    /// Room for `more` bytes after the used ones.
    [[nodiscard]] char* room(std::size_t more)
    {
        if (bytes.size() - used < more) bytes.resize(std::max(2 * bytes.size(), used + more));
        return bytes.data() + used;
    }
};

/// Writes the configurations of a space with only discrete parameters. An inactive parameter has
/// its only value.
class row_writer {
public:
    /// @param space  must outlive this
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

    /// The text above the rows: the names; or nothing.
    [[nodiscard]] std::string head() const
    {
        if (format_ != row_format::csv) return "";
        std::string out;
        for (named_value const& v : named_values(*space_))
            out += (out.empty() ? "" : ",") + csv_text(v.name);
        return out + '\n';
    }

    /// Approximate largest size of a row, in bytes.
    [[nodiscard]] std::size_t row_bytes() const noexcept { return most_bytes_ + changing_bytes_; }

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
            // Copies whole sixteens; the next piece overwrites the excess.
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
    /// Number of values whose text is kept, of all parameters. Values of longer tables are written
    /// anew.
    static constexpr std::uint32_t most_texts = std::uint32_t{1} << 18U;

    struct piece {
        named_value value{}; ///< for an array, one of its elements
        std::string opening{};
        std::string closing{};
        bool is_element = false;
        std::size_t stride = 0;               ///< bytes per text; 0: no table of texts
        std::vector<char> texts{};            ///< texts by value
        std::vector<std::uint32_t> lengths{}; ///< lengths by value, in bytes
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

    /// Makes the table of a piece, if it has few enough values.
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

    /// Makes the text of a piece without a table, after a change of its coordinates.
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
    std::size_t most_bytes_ = step;         ///< of a row's pieces with a table, with the excess
    std::size_t changing_bytes_ = 0;        ///< of the other pieces, with their first value
};

/// Takes the text of `rows` configurations.  @return  false: stop
using row_sink = std::function<bool(std::string_view text, leaf_count rows)>;

/// Makes blocks of rows. Each thread makes every `threads`-th block, at most two before they are
/// taken.
class row_blocks {
public:
    row_blocks(chain_of_trees space, configuration_range const& range, row_format format,
               unsigned threads)
        : space_(std::move(space))
        , range_(range)
        , format_(format)
        , threads_(threads)
        , ring_(2 * std::size_t{threads})
    {
        std::size_t const row = row_writer(space_.describe(), format_).row_bytes();
        rows_ = std::max<std::size_t>(block_bytes / row, 64);
        blocks_ = (range_.size() + rows_ - 1) / rows_;
        if (blocks_ < threads_) threads_ = static_cast<unsigned>(blocks_);
    }

    /// Gives all rows to `take`, in order, on the calling thread.
    /// Errors   exceptions of `take`; std::bad_alloc
    void run(row_sink const& take)
    {
        std::vector<std::jthread> workers;
        stop_at_end const guard{*this}; // destroyed before the workers, which then return
        for (unsigned w = 0; w < threads_; ++w)
            workers.emplace_back([this, w] { make(w); });
        for (leaf_count b = 0; b < blocks_; ++b) {
            block& next = ring_[static_cast<std::size_t>(b % ring_.size())];
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return next.is_full || failed_; });
                if (failed_) std::rethrow_exception(failed_);
            }
            if (!take(next.text.view(), next.rows)) return;
            std::lock_guard const lock(mutex_);
            next.is_full = false;
            changed_.notify_all();
        }
    }

private:
    static constexpr std::size_t block_bytes = std::size_t{1} << 20U;

    struct block {
        row_text text{};
        leaf_count rows = 0;
        bool is_full = false;
    };
    struct stop_at_end {
        row_blocks& of;
        ~stop_at_end()
        {
            std::lock_guard const lock(of.mutex_);
            of.is_stopped_ = true;
            of.changed_.notify_all();
        }
    };

    void make(unsigned worker)
    {
        try {
            row_writer writer(space_.describe(), format_);
            for (leaf_count b = worker; b < blocks_; b += threads_) {
                block& next = ring_[static_cast<std::size_t>(b % ring_.size())];
                {
                    std::unique_lock lock(mutex_);
                    changed_.wait(lock, [&] { return !next.is_full || is_stopped_; });
                    if (is_stopped_) return;
                }
                fill(next, b, writer);
                std::lock_guard const lock(mutex_);
                next.is_full = true;
                changed_.notify_all();
            }
        } catch (...) {
            std::lock_guard const lock(mutex_);
            failed_ = std::current_exception();
            changed_.notify_all();
        }
    }

    void fill(block& out, leaf_count number, row_writer& writer) const
    {
        configuration_range part{range_.first + number * rows_, range_.last};
        part.last = std::min(part.last, part.first + rows_);
        out.text.used = 0;
        out.rows = part.size();
        for (point const& at : configurations(space_, part))
            writer.append(at, out.text);
    }

    chain_of_trees space_;
    configuration_range range_;
    row_format format_;
    leaf_count threads_;
    std::vector<block> ring_;
    leaf_count rows_ = 0; ///< per block
    leaf_count blocks_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::exception_ptr failed_{};
    bool is_stopped_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail::tool
