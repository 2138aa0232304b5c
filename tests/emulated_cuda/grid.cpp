// tests/emulated_cuda/grid.cpp - blocks one after another; those that wait for each other together.
// SPDX-License-Identifier: MIT
//
// Every thread is a fiber. One that ends without having waited leaves its stack to the next, so a
// kernel without barriers costs little more than a loop. Threads go on in the order in which they
// could; in the reverse order when asked.
#include <algorithm>
#include <cstring>
#include <ctime>

#include "grid.hpp"
#include "grid_run.hpp"
#include "kernel_faults.hpp"

namespace attune_emulated {
namespace {

grid_run* running = nullptr;

void start_thread() { running->run_one(); }

} // namespace

void grid_run::prepare(index3 first, index3 extent)
{
    unsigned const count = extent.x * extent.y * extent.z;
    blocks_.resize(count);
    threads_.resize(std::size_t{count} * threads_per_block_);
    warps_.assign(std::size_t{count} * warps_per_block_, {});
    ready_.clear();
    waiting_ = 0;
    alive_ = count * threads_per_block_;
    index3 const n = shape_.threads;
    for (unsigned b = 0; b < count; ++b) {
        blocks_[b].alive = threads_per_block_;
        blocks_[b].waiting = 0;
        if (count > 1) {
            blocks_[b].fixed_shared.assign(code_.static_shared_bytes, std::byte{0xff});
            blocks_[b].dynamic_shared.assign(shape_.shared_bytes, std::byte{0xff});
        }
        index3 const at{first.x + b % extent.x, first.y + b / extent.x % extent.y,
                        first.z + b / (extent.x * extent.y)};
        for (unsigned i = 0; i < threads_per_block_; ++i) {
            unsigned const thread = b * threads_per_block_ + i;
            emulated_thread& t = threads_[thread];
            t.stack = nullptr;
            t.block = b;
            t.place = {
                {i % n.x, i / n.x % n.y, i / (n.x * n.y)}, at, n, shape_.blocks, shape_.cluster, i,
                reinterpret_cast<unsigned char*>(dynamic_)};
            warp_of(thread).alive |= lane_bit(thread);
            release(thread);
        }
    }
    block_in_ = 0;
    if (code_.static_shared_bytes > 0) std::memset(fixed_, 0xff, code_.static_shared_bytes);
    std::memset(dynamic_, 0xff, (shape_.shared_bytes + 15) / 16 * 16);
}

void grid_run::bring_in(unsigned block)
{
    if (block == block_in_) return;
    emulated_block& out = blocks_[block_in_];
    emulated_block const& in = blocks_[block];
    if (fixed_ != nullptr) {
        std::memcpy(out.fixed_shared.data(), fixed_, out.fixed_shared.size());
        std::memcpy(fixed_, in.fixed_shared.data(), in.fixed_shared.size());
    }
    std::copy_n(dynamic_, out.dynamic_shared.size(), out.dynamic_shared.begin());
    std::copy(in.dynamic_shared.begin(), in.dynamic_shared.end(), dynamic_);
    block_in_ = block;
}

void grid_run::resume(unsigned thread)
{
    emulated_thread& t = threads_[thread];
    if (t.stack == nullptr) {
        t.stack = stacks().take();
        if (t.stack == nullptr) {
            result.error = 719;
            return;
        }
        t.at = start_of(t.stack, start_thread);
    }
    if (blocks_.size() > 1) bring_in(t.block);
    now_ = thread;
    *code_.place = &t.place;
    in_thread_ = true;
    switch_fiber(main_, t.at);
}

bool grid_run::run_group(index3 first, index3 extent)
{
    prepare(first, extent);
    while (!ready_.empty() && result.error == 0 && !result.hangs) {
        unsigned const next = newest_first_ ? ready_.back() : ready_.front();
        newest_first_ ? ready_.pop_back() : ready_.pop_front();
        resume(next);
    }
    if (result.error == 0 && alive_ > 0) result.hangs = true; // they wait for each other for ever
    for (emulated_thread const& t : threads_)
        if (t.is != state::done && t.stack != nullptr) stacks().give_back(t.stack);
    return result.error == 0 && !result.hangs;
}

void grid_run::release_block(unsigned block)
{
    emulated_block& b = blocks_[block];
    if (b.alive == 0 || b.waiting < b.alive) return;
    unsigned const begin = block * threads_per_block_;
    for (unsigned i = begin; i < begin + threads_per_block_; ++i)
        if (threads_[i].is == state::at_block) release(i);
    b.waiting = 0;
}

void grid_run::release_group()
{
    if (alive_ == 0 || waiting_ < alive_) return;
    waiting_ = 0;
    for (unsigned i = 0; i < threads_.size(); ++i)
        if (threads_[i].is == state::at_group) release(i);
}

void grid_run::release_warp(unsigned thread, unsigned mask)
{
    emulated_warp& warp = warp_of(thread);
    unsigned const members = mask & warp.alive;
    if ((members & ~warp.waiting) != 0) return;
    unsigned const first = thread - (threads_[thread].place.number & 31U);
    unsigned long long brought[32];
    for (unsigned l = 0; l < 32; ++l) {
        if ((members >> l & 1U) == 0) continue;
        if (threads_[first + l].mask != mask) return; // of another group of lanes
        brought[l] = threads_[first + l].value;
    }
    for (unsigned l = 0; l < 32; ++l) {
        if ((members >> l & 1U) == 0) continue;
        emulated_thread& t = threads_[first + l];
        bool const is_there = t.source < 32 && (members >> t.source & 1U) != 0;
        t.value = is_there ? brought[t.source] : ~0ULL; // undefined in CUDA: no number
        release(first + l);
    }
    warp.waiting &= ~members;
}

void grid_run::release_warp_after_exit()
{
    emulated_warp const& warp = warp_of(now_);
    unsigned const first = now_ - (threads_[now_].place.number & 31U);
    for (unsigned l = 0; l < 32; ++l)
        if ((warp.waiting >> l & 1U) != 0) release_warp(first + l, threads_[first + l].mask);
}

grid_result run_grid(kernel_code const& code, launch_shape const& shape, void** arguments,
                     double hang_s, bool newest_first)
{
    static services const serving{[](barrier_kind kind) { running->wait(kind); },
                                  [](unsigned mask, unsigned long long value, unsigned source) {
                                      return running->exchange(mask, value, source);
                                  },
                                  [](int error) { running->fault(error); }, [] { running->hang(); },
                                  [](unsigned long long cost_ns) { running->set_cost(cost_ns); }};
    grid_run run(code, shape, arguments, newest_first);
    running = &run;
    *code.machine = &serving;
    timespec begin{};
    timespec end{};
    {
        kernel_faults const guard([](int error) { return running->interrupt(error); }, hang_s);
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        run.run_all();
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    }
    running = nullptr;
    if (!run.has_cost)
        run.result.cost_ns = static_cast<std::uint64_t>((end.tv_sec - begin.tv_sec) * 1000000000 +
                                                        (end.tv_nsec - begin.tv_nsec));
    return run.result;
}

} // namespace attune_emulated
