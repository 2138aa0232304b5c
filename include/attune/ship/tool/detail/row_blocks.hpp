// attune/ship/tool/detail/row_blocks.hpp - the rows of a range of configurations, made by several threads.
// SPDX-License-Identifier: MIT
// tested by ship/tool/rows.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/tool/detail/row_writer.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Takes the text of `rows` configurations.  @return  false: no more are wanted
using row_sink = std::function<bool(std::string_view text, leaf_count rows)>;

/// Makes blocks of rows, each thread every `threads`-th one, two of each ahead of what is taken.
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
    /// Errors   what `take` throws; std::bad_alloc
    void run(row_sink const& take)
    {
        std::vector<std::jthread> workers;
        stop_at_end const guard{*this}; // destroyed before the workers, who then return
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
