// attune/tune/device/opencl/opencl_builder.ipp - requests to a building worker, and its answers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/device/worker/driver_opener.hpp>
#include <attune/measure/device/worker/worker_process.hpp>
#include <attune/measure/device/worker/worker_wire.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/tune/device/opencl/opencl_builder.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void serve_opencl_build(message_reader& from, message_writer& to)
{
    auto const driver = worker::open_driver_at(from.get_text());
    int const ordinal = worker::device_at_bus(*driver, from.get_text());
    opencl_build_request what;
    what.text = from.get_text();
    what.options = from.get_text();
    what.entry = from.get_text();
    if (what.entry.empty()) return; // the first request opens the driver
    what.wants_binary = from.get<bool>();
    opencl_built const made = build_opencl(ordinal, what);
    to.put(made.of_build);
    to.put_text(made.log);
    to.put(made.of_kernel);
    to.put(made.arguments.size());
    for (defined_argument const& one : made.arguments) {
        to.put(one.kind);
        to.put_text(one.type);
    }
    to.put(made.resources.most_threads);
    to.put(made.resources.static_shared_bytes);
    to.put(made.resources.stack_bytes);
    to.put(made.declared_size);
    to.put_text(made.binary);
}

/// Errors   damaged_message
[[nodiscard]] inline opencl_built get_opencl_built(message_reader& from)
{
    opencl_built out;
    out.of_build = from.get<opencl::result>();
    out.log = from.get_text();
    out.of_kernel = from.get<opencl::result>();
    out.arguments.resize(from.get_count());
    for (defined_argument& one : out.arguments) {
        one.kind = from.get<opencl::argument_kind>();
        if (one.kind > opencl::argument_kind::local) throw damaged_message();
        one.type = from.get_text();
    }
    out.resources.most_threads = from.get<decltype(out.resources.most_threads)>();
    out.resources.static_shared_bytes = from.get<decltype(out.resources.static_shared_bytes)>();
    out.resources.stack_bytes = from.get<decltype(out.resources.stack_bytes)>();
    out.declared_size = from.get<std::array<std::uint64_t, 3>>();
    out.binary = from.get_text();
    return out;
}

class opencl_build_workers final : public opencl_builder {
public:
    explicit opencl_build_workers(int ordinal)
        : ordinal_(ordinal)
        , driver_path_(opencl::driver_of_process()->path)
        , bus_(bus_of_device(*opencl::driver_of_process(), ordinal))
    {
    }

    ~opencl_build_workers() override
    {
        own_float_environment const numbers; // the end of a worker computes with seconds
        idle_.clear();
    }

    [[nodiscard]] std::variant<opencl_built, opencl_build_loss>
    build(opencl_build_request const& what, double limit_s) override
    {
        std::unique_ptr<worker::process> worker = take();
        if (worker == nullptr) return build_opencl(ordinal_, what);
        worker::message got;
        worker::transfer const t = ask(*worker, what, limit_s, got);
        if (t != worker::transfer::done) {
            opencl_build_loss lost;
            lost.is_late = t == worker::transfer::late;
            worker::ending const how = worker->end();
            if (!lost.is_late) lost.how = worker::text_of(how);
            lost.log = worker->log();
            return lost;
        }
        message_reader from(got.text);
        if (got.kind == worker::message_kind::thrown) return build_opencl(ordinal_, what);
        opencl_built made = get_opencl_built(from);
        std::scoped_lock const one(turn_);
        idle_.push_back(std::move(worker));
        return made;
    }

private:
    [[nodiscard]] worker::transfer ask(worker::process& worker, opencl_build_request const& what,
                                       double limit_s, worker::message& got) const
    {
        message_writer text;
        text.put_text(opencl_build_service);
        text.put_text(driver_path_);
        text.put_text(bus_);
        text.put_text(what.text);
        text.put_text(what.options);
        text.put_text(what.entry);
        text.put(what.wants_binary);
        worker::message asked;
        asked.kind = worker::message_kind::service;
        asked.text = text.take();
        worker.forget_log();
        double const until_s = steady_seconds() + std::min(limit_s, 1e6);
        try {
            worker::transfer const t = worker::send(worker.socket(), asked, until_s);
            return t == worker::transfer::done ? worker.receive(got, until_s) : t;
        } catch (damaged_message const&) {
            return worker::transfer::ended;
        }
    }

    /// Returns an idle worker, or a new one with an open driver; null: no worker can start.
    [[nodiscard]] std::unique_ptr<worker::process> take()
    {
        {
            std::scoped_lock const one(turn_);
            if (!may_start_) return {};
            while (!idle_.empty()) {
                std::unique_ptr<worker::process> out = std::move(idle_.back());
                idle_.pop_back();
                if (!out->has_ended()) return out;
            }
        }
        constexpr double start_limit_s = 60;
        try {
            auto out = std::make_unique<worker::process>(worker::start_this_program);
            worker::message got;
            if (ask(*out, {}, start_limit_s, got) == worker::transfer::done &&
                got.kind == worker::message_kind::answer)
                return out;
        } catch (error const&) {
        }
        std::scoped_lock const one(turn_);
        may_start_ = false;
        return {};
    }

    int ordinal_;
    std::string driver_path_;
    std::string bus_;
    std::mutex turn_{};
    bool may_start_ = true;
    std::vector<std::unique_ptr<worker::process>> idle_{};
};

ATTUNE_INLINE std::unique_ptr<opencl_builder> make_opencl_builder(int ordinal)
{
    return std::make_unique<opencl_build_workers>(ordinal);
}

} // namespace attune::inline ATTUNE_ABI::detail
