// tests/emulated_cuda/grid_run.hpp - one launch while it runs: its threads, and who waits for whom.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <dlfcn.h>
#include <sys/mman.h>
#include <vector>

#include "fiber.hpp"
#include "grid.hpp"

extern "C" void* __tls_get_addr(void*);

namespace attune_emulated {

enum class state : unsigned char { ready, at_block, at_warp, at_group, done };

struct emulated_thread {
    fiber_place at;
    std::byte* stack = nullptr;
    thread_place place{};
    unsigned block = 0; ///< in the group
    state is = state::ready;
    unsigned mask = 0, source = 0;
    unsigned long long value = 0; ///< brought, then received
};

struct emulated_warp {
    unsigned alive = 0, waiting = 0;
};

struct emulated_block {
    unsigned alive = 0, waiting = 0;
    std::vector<std::byte> fixed_shared, dynamic_shared; ///< while another block is on
};

/// Dynamic shared memory ends where a page begins that may not be touched.
class dynamic_memory {
public:
    static constexpr std::size_t most = 256 * 1024;
    dynamic_memory()
        : begin_(
              static_cast<std::byte*>(::mmap(nullptr, most + 65536, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)))
    {
        ::mprotect(begin_ + most, 65536, PROT_NONE);
    }
    ~dynamic_memory() { ::munmap(begin_, most + 65536); }
    dynamic_memory(dynamic_memory const&) = delete;
    dynamic_memory& operator=(dynamic_memory const&) = delete;
    [[nodiscard]] std::byte* of(std::size_t bytes) const
    {
        return begin_ + most - (bytes + 15) / 16 * 16;
    }

private:
    std::byte* begin_;
};

class grid_run {
public:
    grid_run(kernel_code const& code, launch_shape const& shape, void** arguments,
             bool newest_first)
        : code_(code)
        , shape_(shape)
        , arguments_(arguments)
        , newest_first_(newest_first)
        , threads_per_block_(shape.threads.x * shape.threads.y * shape.threads.z)
        , warps_per_block_((threads_per_block_ + 31) / 32)
        , dynamic_(shared_memory().of(shape.shared_bytes))
    {
        if (code.static_shared_bytes > 0) {
            std::size_t module_id = 0;
            ::dlinfo(code.object, RTLD_DI_TLS_MODID, &module_id);
            std::size_t place[2] = {module_id, 0};
            fixed_ = static_cast<std::byte*>(__tls_get_addr(place));
        }
    }

    void run_all()
    {
        bool const all = shape_.is_cooperative;
        index3 const step = all ? shape_.blocks : shape_.cluster;
        for (unsigned z = 0; z < shape_.blocks.z; z += step.z)
            for (unsigned y = 0; y < shape_.blocks.y; y += step.y)
                for (unsigned x = 0; x < shape_.blocks.x; x += step.x)
                    if (!run_group({x, y, z}, step)) return;
    }

    [[noreturn]] void run_one()
    {
        code_.run(arguments_);
        serving_ = true;
        emulated_thread& t = threads_[now_];
        t.is = state::done;
        stacks().give_back(t.stack);
        --alive_;
        --blocks_[t.block].alive;
        warp_of(now_).alive &= ~lane_bit(now_);
        release_block(t.block);
        release_group();
        release_warp_after_exit();
        for (;;)
            leave();
    }

    void wait(barrier_kind kind)
    {
        serving_ = true;
        emulated_thread& t = threads_[now_];
        if (kind == barrier_kind::block) {
            t.is = state::at_block;
            ++blocks_[t.block].waiting;
            release_block(t.block);
        } else {
            t.is = state::at_group;
            ++waiting_;
            release_group();
        }
        leave();
    }

    unsigned long long exchange(unsigned mask, unsigned long long value, unsigned source)
    {
        serving_ = true;
        emulated_thread& t = threads_[now_];
        if ((mask & lane_bit(now_)) == 0) fault(715);
        t.mask = mask;
        t.value = value;
        t.source = source;
        t.is = state::at_warp;
        warp_of(now_).waiting |= lane_bit(now_);
        release_warp(now_, mask);
        leave();
        return t.value;
    }

    void fault(int error)
    {
        if (result.error == 0) result.error = error;
        abandon();
    }
    void hang()
    {
        result.hangs = true;
        abandon();
    }
    /// From a signal too. @return  whether it did not interrupt the machine's own work
    bool interrupt(int error)
    {
        if (!in_thread_ || serving_) {
            if (error == 0) result.hangs = true; // seen at the next turn
            return error == 0;
        }
        if (error == 0) result.hangs = true;
        if (error != 0 && result.error == 0) result.error = error;
        abandon();
        return true;
    }
    void set_cost(unsigned long long cost_ns)
    {
        if (!has_cost || cost_ns > result.cost_ns) result.cost_ns = cost_ns;
        has_cost = true;
    }
    grid_result result{};
    bool has_cost = false;

    static stack_pool& stacks()
    {
        static stack_pool pool;
        return pool;
    }
    static dynamic_memory& shared_memory()
    {
        static dynamic_memory memory;
        return memory;
    }

private:
    bool run_group(index3 first, index3 extent);
    void prepare(index3 first, index3 extent);
    void resume(unsigned thread);
    void bring_in(unsigned block);

    [[nodiscard]] emulated_warp& warp_of(unsigned thread)
    {
        emulated_thread const& t = threads_[thread];
        return warps_[t.block * warps_per_block_ + t.place.number / 32];
    }
    [[nodiscard]] unsigned lane_bit(unsigned thread) const
    {
        return 1U << (threads_[thread].place.number & 31U);
    }
    void leave()
    {
        serving_ = false;
        in_thread_ = false;
        switch_fiber(threads_[now_].at, main_);
    }
    void abandon()
    {
        serving_ = in_thread_ = false;
        fiber_place nowhere;
        switch_fiber(nowhere, main_);
    }
    void release(unsigned thread)
    {
        threads_[thread].is = state::ready;
        ready_.push_back(thread);
    }
    void release_block(unsigned block);
    void release_group();
    void release_warp(unsigned thread, unsigned mask);
    void release_warp_after_exit();

    kernel_code const& code_;
    launch_shape const& shape_;
    void** arguments_;
    bool newest_first_;
    unsigned threads_per_block_;
    unsigned warps_per_block_;
    std::byte* dynamic_;
    std::byte* fixed_ = nullptr;
    std::vector<emulated_thread> threads_{};
    std::vector<emulated_warp> warps_{};
    std::vector<emulated_block> blocks_{};
    std::deque<unsigned> ready_{};
    fiber_place main_{};
    unsigned now_ = 0;
    unsigned block_in_ = 0;
    unsigned alive_ = 0, waiting_ = 0;
    bool serving_ = false, in_thread_ = false;
};

} // namespace attune_emulated
