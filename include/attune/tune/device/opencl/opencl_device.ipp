// attune/tune/device/opencl/opencl_device.ipp - limits, facts and benches of an OpenCL device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/opencl/builder.hpp>
#include <attune/core/error.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/device.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/expression.hpp>
#include <attune/declare/text.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/measure/device/worker/driver_opener.hpp>
#include <attune/measure/device/worker/worker_door.hpp>
#include <attune/measure/device/worker/worker_process.hpp>
#include <attune/measure/device/worker/worker_wire.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>
#include <attune/tune/device/opencl/opencl_device.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
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
    what.constants.resize(from.get_count());
    for (opencl_constant& one : what.constants) {
        one.id = from.get<std::uint32_t>();
        one.bytes = from.get_text();
    }
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
        if (one.kind > opencl::argument_kind::picture) throw damaged_message();
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
        text.put(what.constants.size());
        for (opencl_constant const& one : what.constants) {
            text.put(one.id);
            text.put_text(one.bytes);
        }
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
            while (!idle_.empty()) {
                std::unique_ptr<worker::process> out = std::move(idle_.back());
                idle_.pop_back();
                if (!out->has_ended()) return out;
            }
            if (steady_seconds() < next_start_s_) return {};
        }
        constexpr double start_limit_s = 60;
        constexpr double most_part = 0.1; // of the time, for starts that fail
        double const begun_s = steady_seconds();
        try {
            auto out = std::make_unique<worker::process>(worker::start_this_program);
            worker::message got;
            if (ask(*out, {}, start_limit_s, got) == worker::transfer::done &&
                got.kind == worker::message_kind::answer)
                return out;
        } catch (error const&) {
        }
        std::scoped_lock const one(turn_);
        double const now_s = steady_seconds();
        next_start_s_ = now_s + (now_s - begun_s) / most_part;
        return {};
    }

    int ordinal_;
    std::string driver_path_;
    std::string bus_;
    std::mutex turn_{};
    double next_start_s_ = 0; ///< after a start that failed
    std::vector<std::unique_ptr<worker::process>> idle_{};
};

ATTUNE_INLINE std::unique_ptr<opencl_builder> make_opencl_builder(int ordinal)
{
    return std::make_unique<opencl_build_workers>(ordinal);
}

ATTUNE_INLINE std::string_view opencl_compare_text() noexcept
{
    return R"cl(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
int attune_near(double got, double want, double distance, double absolute, double relative,
                double rms)
{
    double const size = fabs(want);
    return distance <= absolute + relative * (size < rms ? rms : size);
}
#define ATTUNE_FLOATS(T, BITS, INFINITE)                                                           \
    int attune_agree_##T(BITS got, BITS want, double absolute, double relative, double rms)        \
    {                                                                                              \
        BITS const a = got & ((BITS)-1 >> 1);                                                      \
        BITS const b = want & ((BITS)-1 >> 1);                                                     \
        if (a > INFINITE || b > INFINITE) return a > INFINITE && b > INFINITE;                     \
        if (got == want || (a | b) == 0) return 1;                                                 \
        if (a == INFINITE || b == INFINITE) return 0;                                              \
        double const mine = as_##T(got);                                                           \
        double const target = as_##T(want);                                                        \
        return attune_near(mine, target, fabs(mine - target), absolute, relative, rms);            \
    }
#define ATTUNE_INTEGERS(T)                                                                         \
    int attune_agree_##T(T got, T want, double absolute, double relative, double rms)              \
    {                                                                                              \
        if (got == want) return 1;                                                                 \
        ulong const a = (ulong)got;                                                                \
        ulong const b = (ulong)want;                                                               \
        return attune_near((double)got, (double)want, (double)(got < want ? b - a : a - b),        \
                           absolute, relative, rms);                                               \
    }
ATTUNE_FLOATS(float, uint, 0x7F800000U)
ATTUNE_FLOATS(double, ulong, 0x7FF0000000000000UL)
ATTUNE_INTEGERS(char)
ATTUNE_INTEGERS(uchar)
ATTUNE_INTEGERS(short)
ATTUNE_INTEGERS(ushort)
ATTUNE_INTEGERS(int)
ATTUNE_INTEGERS(uint)
ATTUNE_INTEGERS(long)
ATTUNE_INTEGERS(ulong)
kernel void attune_compare(global uchar const* got, global uchar const* want, ulong count, int type,
                           double absolute, double relative, double rms, global ulong* first,
                           global ulong* differing)
{
    ulong const me = get_global_id(0);
    ulong at = count;
    ulong differ = 0;
    if (type < 1 || type > 10) {
        type = 4;
        absolute = relative = rms = 0;
    }
#define ATTUNE_LOOK(number, T, READ)                                                               \
    if (type == number)                                                                            \
        for (ulong i = me; i < count; i += get_global_size(0)) {                                   \
            if (attune_agree_##T(((global READ const*)got)[i], ((global READ const*)want)[i],      \
                                 absolute, relative, rms))                                         \
                continue;                                                                          \
            if (differ == 0) at = i;                                                               \
            ++differ;                                                                              \
        }
    ATTUNE_LOOK(1, float, uint)
    ATTUNE_LOOK(2, double, ulong)
    ATTUNE_LOOK(3, char, char)
    ATTUNE_LOOK(4, uchar, uchar)
    ATTUNE_LOOK(5, short, short)
    ATTUNE_LOOK(6, ushort, ushort)
    ATTUNE_LOOK(7, int, int)
    ATTUNE_LOOK(8, uint, uint)
    ATTUNE_LOOK(9, long, long)
    ATTUNE_LOOK(10, ulong, ulong)
    first[me] = at;
    differing[me] = differ;
}
)cl";
}

/// Errors   attune::error: a rule or a feature reads a quantity that OpenCL does not report
inline void require_reported(kernel_description const& kernel)
{
    description const& rules = kernel.code_rules;
    auto const require = [&](std::uint32_t root, std::string const& text) {
        for (std::uint32_t const i : inputs_read(rules, root)) {
            std::string const& name = rules.inputs[i].name;
            if (!names_code_quantity(name) || name == stack_bytes.name ||
                name == static_shared_bytes.name)
                continue;
            throw error("a kernel reads what OpenCL does not report of its code",
                        name + " in " + text + ", kernel '" + kernel.name + "'",
                        "OpenCL reports static_shared_bytes (local memory) and stack_bytes "
                        "(private memory): leave " +
                            name + " out");
        }
    };
    for (constraint_description const& rule : rules.constraints)
        require(rule.root, rule.text);
    for (feature_description const& feature : rules.features)
        require(feature.root, text_of_node(rules, rules.nodes[feature.root]));
}

ATTUNE_INLINE bool opencl_device::is_on_processor() const
{
    constexpr opencl::bits of_processor = 2; // CL_DEVICE_TYPE_CPU
    auto const ordinal = static_cast<std::size_t>(target_.device.ordinal);
    return (opencl::number_of_device<opencl::bits>(*opencl::library_in_use(),
                                                   opencl::devices_in_use()[ordinal].at,
                                                   opencl::of_device::type) &
            of_processor) != 0;
}

ATTUNE_INLINE void opencl_device::add_limits(description& bound,
                                             kernel_description const& kernel) const
{
    require_reported(kernel);
    launches_.add_limits(bound, kernel);
}

ATTUNE_INLINE code_review opencl_device::review(kernel_description const& kernel,
                                                description const& bound, point const& at,
                                                callable const& code) const
{
    device_variant const& ready = device_variant_of(code);
    code_resources const& takes = ready.code.resources;
    code_numbers const known{{stack_bytes.name, number::of(takes.stack_bytes)},
                             {static_shared_bytes.name, number::of(takes.static_shared_bytes)}};
    code_review out{.features = code_metrics_at(kernel, bound, at, known),
                    .objection =
                        opencl_launch_objection(target_.device.limits, takes, ready.launch)};
    if (out.objection.empty()) out.objection = broken_rule(kernel, bound, at, known);
    return out;
}

ATTUNE_INLINE std::unique_ptr<loaded_kernel const> opencl_device::load(callable code,
                                                                       std::string kernel) const
{
    return launches_.load(std::move(code), std::move(kernel));
}

ATTUNE_INLINE void opencl_device::wait_for_caller(void* stream) const
{
    cuda::driver const& driver = *target_.device.driver;
    cuda::primary_context const context{target_.device.driver, target_.device.ordinal};
    cuda::context_scope const here{context};
    cuda::require_success(driver,
                          stream != nullptr
                              ? driver.stream_synchronize(static_cast<cuda::stream>(stream))
                              : driver.context_synchronize(),
                          "waiting for what the program launched before: clFinish");
}

ATTUNE_INLINE void opencl_device::require_arrays(call_frame const& frame) const
{
    launches_.require_arrays(frame);
    std::size_t const alignment = opencl::base_alignment(target_.device.ordinal);
    cuda::driver const& driver = *target_.device.driver;
    std::vector<device_buffer> const arrays = make_device_call(target_.device, frame).buffers;
    device_layout const copies = plan_copies(arrays);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        buffer const& b = arrays[i].where;
        if (b.bytes == 0) continue;
        std::size_t offset = copies.of[i].offset; // host arrays that overlap share one copy
        if (arrays[i].place == memory_place::device) {
            auto const at = reinterpret_cast<cuda::device_pointer>(b.data);
            cuda::device_pointer base = at;
            std::size_t bytes = 0;
            if (driver.memory_get_address_range(&base, &bytes, at) != cuda::success) continue;
            offset = static_cast<std::size_t>(at - base);
        }
        if (offset % alignment == 0) continue;
        throw error("an array begins where the device allows no sub-buffer",
                    "argument " + std::to_string(b.argument) + " begins " + std::to_string(offset) +
                        " bytes after the start of its memory; " + target_.name() +
                        " allows multiples of " + std::to_string(alignment),
                    "begin the array at such a multiple, or pass the whole buffer and an offset");
    }
}

ATTUNE_INLINE std::shared_ptr<std::byte> opencl_device::make_array(std::size_t bytes,
                                                                   std::size_t place) const
{
    return launches_.make_array(bytes, place);
}

ATTUNE_INLINE void opencl_device::copy_array(array_copy how, std::byte* to, std::byte const* from,
                                             std::size_t bytes) const
{
    launches_.copy_array(how, to, from, bytes);
}

ATTUNE_INLINE std::unique_ptr<bench> opencl_device::make_bench(tuning_problem const& problem,
                                                               tuning_options const& options) const
{
    if (problem.predict)
        throw error("no configuration of an OpenCL kernel can be predicted from its code",
                    "kernel '" + problem.kernel.name + "'",
                    "OpenCL does not report registers: tune it by running it");
    for (int const named : options.device.others)
        if (named < 0 || static_cast<std::size_t>(named) >= opencl::devices_in_use().size())
            throw error("there is no OpenCL device " + std::to_string(named) +
                            " in tuning_options::device.others",
                        "there are " + std::to_string(opencl::devices_in_use().size()),
                        "name devices by their place in the list of attune doctor, from 0");
    require_usable_devices(target_.device, options);
    return make_device_bench(problem, options, target_.device,
                             {std::string(opencl_compare_text()), "device_compare.cl"},
                             target_.start_limit_s);
}

[[gnu::constructor(101), gnu::used]]
ATTUNE_INLINE void know_opencl_drivers() noexcept
{
    worker::add_driver_opener(opencl::driver_prefix.data(), &opencl::open_driver,
                              opencl::most_alignment);
    worker::add_worker_service({opencl_build_service, &serve_opencl_build});
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::shared_ptr<device_target const> make_device_target(opencl_target const& target)
{
    hold_worker_door();
    return std::make_shared<detail::opencl_device>(target);
}

} // namespace attune::inline ATTUNE_ABI
