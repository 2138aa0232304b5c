// attune/compile/opencl.ipp - the state and the work of an opencl_compiler.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/nvrtc/cubin.hpp>
#include <attune/compile/nvrtc/detail/includes.hpp>
#include <attune/compile/nvrtc/detail/run.hpp>
#include <attune/compile/opencl.hpp>
#include <attune/compile/opencl/arguments.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/core/error.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/opencl/image.hpp>
#include <attune/opencl/library.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A program of the library, with a time limit for its build. A build that does not end keeps its
/// thread, which shares in this object.
class opencl_build {
public:
    opencl_build(opencl::library const& cl, int ordinal, opencl::device device,
                 std::string const& text)
        : cl_(cl)
        , device_(device)
    {
        char const* begin = text.data();
        std::size_t const size = text.size();
        opencl::result said = opencl::success;
        handle_ =
            cl_.create_program_with_source(opencl::context_of(ordinal), 1, &begin, &size, &said);
        if (said != opencl::success)
            throw error("OpenCL takes no program", opencl::text_of(said),
                        "see what clinfo lists of this device");
    }
    ~opencl_build() { cl_.release_program(handle_); }
    opencl_build(opencl_build const&) = delete;
    opencl_build& operator=(opencl_build const&) = delete;

    /// @return  empty if the build takes longer than `limit_s`
    [[nodiscard]] static std::optional<opencl::result>
    run(std::shared_ptr<opencl_build> const& what, std::string options, double limit_s)
    {
        std::thread([what, options = std::move(options)] {
            opencl::result const got = what->cl_.build_program(what->handle_, 1, &what->device_,
                                                               options.c_str(), nullptr, nullptr);
            std::scoped_lock const lock(what->mutex_);
            what->end_ = got;
            what->ended_.notify_all();
        }).detach();
        std::unique_lock lock(what->mutex_);
        what->ended_.wait_for(lock, std::chrono::duration<double>(std::min(limit_s, 1e6)),
                              [&] { return what->end_.has_value(); });
        return what->end_;
    }

    [[nodiscard]] std::string log() const
    {
        return opencl::text_by([this](std::size_t room, void* out, std::size_t* bytes) {
            return cl_.get_program_build_info(handle_, device_, opencl::of_program::build_log, room,
                                              out, bytes);
        });
    }
    [[nodiscard]] std::string binary() const
    {
        std::size_t size = 0;
        if (cl_.get_program_info(handle_, opencl::of_program::binary_sizes, sizeof size, &size,
                                 nullptr) != opencl::success)
            return {};
        std::string out(size, '\0');
        auto* at = reinterpret_cast<unsigned char*>(out.data());
        if (cl_.get_program_info(handle_, opencl::of_program::binaries, sizeof at, &at, nullptr) !=
            opencl::success)
            return {};
        return out;
    }
    [[nodiscard]] opencl::program handle() const noexcept { return handle_; }

private:
    opencl::library const& cl_;
    opencl::device device_;
    opencl::program handle_ = nullptr;
    std::mutex mutex_{};
    std::condition_variable ended_{};
    std::optional<opencl::result> end_{};
};

/// A kernel of a program, to ask for its properties.
class opencl_kernel_info {
public:
    opencl_kernel_info(opencl::library const& cl, opencl::device device, opencl::program in,
                       std::string const& name)
        : cl_(cl)
        , device_(device)
    {
        handle_ = cl_.create_kernel(in, name.c_str(), &said_);
    }
    ~opencl_kernel_info()
    {
        if (handle_ != nullptr && said_ == opencl::success) cl_.release_kernel(handle_);
    }
    opencl_kernel_info(opencl_kernel_info const&) = delete;
    opencl_kernel_info& operator=(opencl_kernel_info const&) = delete;

    [[nodiscard]] opencl::result said() const noexcept { return said_; }

    [[nodiscard]] std::vector<defined_argument> arguments() const
    {
        auto const count =
            opencl::value_by<unsigned>([this](std::size_t room, void* out, std::size_t* bytes) {
                return cl_.get_kernel_info(handle_, opencl::of_kernel::argument_count, room, out,
                                           bytes);
            });
        std::vector<defined_argument> out;
        for (unsigned i = 0; i < count; ++i) {
            auto const ask = [this, i](unsigned what) {
                return [this, i, what](std::size_t room, void* to, std::size_t* bytes) {
                    return cl_.get_kernel_arg_info(handle_, i, what, room, to, bytes);
                };
            };
            defined_argument made;
            made.type = opencl::text_by(ask(opencl::of_argument::type_name));
            auto const where = opencl::value_by<unsigned>(ask(opencl::of_argument::address_space));
            if (where == opencl::of_argument::global || where == opencl::of_argument::constant)
                made.kind = opencl::argument_kind::array;
            if (where == opencl::of_argument::local) made.kind = opencl::argument_kind::local;
            out.push_back(std::move(made));
        }
        return out;
    }

    [[nodiscard]] code_resources resources() const
    {
        code_resources out;
        out.most_threads = number<std::size_t>(opencl::of_work_group::most_items);
        out.static_shared_bytes = number<std::uint64_t>(opencl::of_work_group::local_bytes);
        out.stack_bytes = number<std::uint64_t>(opencl::of_work_group::private_bytes);
        return out;
    }
    [[nodiscard]] std::array<std::int64_t, 3> declared_size() const
    {
        std::size_t sizes[3] = {};
        cl_.get_kernel_work_group_info(handle_, device_, opencl::of_work_group::declared_size,
                                       sizeof sizes, sizes, nullptr);
        return {static_cast<std::int64_t>(sizes[0]), static_cast<std::int64_t>(sizes[1]),
                static_cast<std::int64_t>(sizes[2])};
    }

private:
    template <class T>
    [[nodiscard]] std::int64_t number(unsigned what) const
    {
        return static_cast<std::int64_t>(
            opencl::value_by<T>([&](std::size_t room, void* out, std::size_t* bytes) {
                return cl_.get_kernel_work_group_info(handle_, device_, what, room, out, bytes);
            }));
    }

    opencl::library const& cl_;
    opencl::device device_;
    opencl::kernel handle_ = nullptr;
    opencl::result said_ = opencl::success;
};

/// The state that opencl_compiler and its copies share.
class opencl_session {
public:
    explicit opencl_session(opencl_options given)
        : options(std::move(given))
        , cache(options.cache)
    {
    }

    /// Finds the device, once.
    /// Errors   as find_opencl_target()
    void open()
    {
        std::lock_guard const lock(mutex);
        if (is_open) return;
        opencl_target found = find_opencl_target(options.platform, options.device, options.library);
        if (options.context != nullptr)
            opencl::adopt_context(found.device.ordinal,
                                  static_cast<opencl::context>(options.context));
        cl = opencl::library_in_use();
        auto const all = opencl::devices_of(*cl);
        auto const& chosen = all[static_cast<std::size_t>(found.device.ordinal)];
        device = chosen.at;
        identity = "opencl " + chosen.platform_version + ", " + chosen.name + ", driver " +
                   chosen.driver_version + joined(options.flags);
        target = std::move(found);
        is_open = true;
    }

    [[nodiscard]] std::string key_of(kernel_source const& kernel, compile_request const& v) const
    {
        kernel_source all = kernel;
        all.flags.insert(all.flags.begin(), options.flags.begin(), options.flags.end());
        return request_key("opencl device code", identity, all, v);
    }

    /// A callable, or the reason why the device cannot launch it.
    [[nodiscard]] compile_result finish(device_code code, kernel_source const& kernel,
                                        compile_request const& v,
                                        std::chrono::steady_clock::time_point start,
                                        bool from_cache) const
    {
        if (std::string objection =
                opencl_launch_objection(target.device.limits, code.resources, v.launch);
            !objection.empty())
            return failure{failure_stage::launch, std::move(objection), {}};
        callable made = callable_of_device({std::move(code), v.launch});
        made.compiler = identity + joined(kernel.flags) + joined(v.flags);
        made.compile_s =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        made.from_cache = from_cache;
        return made;
    }

    /// The code from the cache; empty if it is not there.
    [[nodiscard]] std::optional<compile_result> kept(kernel_source const& kernel,
                                                     compile_request const& v, bool counted) const
    {
        auto const start = std::chrono::steady_clock::now();
        std::string const key = key_of(kernel, v);
        auto const found = counted ? cache.find(key) : cache.look(key);
        if (!found) return {};
        std::optional<device_code> code = parse_kept_device_code(found->bytes);
        if (!code) return {};
        return finish(std::move(*code), kernel, v, start, true);
    }

    [[nodiscard]] std::string build_options(kernel_source const& kernel,
                                            compile_request const& v) const
    {
        std::string out = "-cl-kernel-arg-info";
        auto const add = [&out](std::vector<std::string> const& flags) {
            for (std::string const& flag : flags)
                out += ' ' + flag;
        };
        add(options.flags);
        add(kernel.flags);
        add(v.flags);
        auto const search = [&out](std::string const& folder) {
            if (folder.empty()) return;
            bool const has_blank = folder.find(' ') != folder.npos;
            out += " -I" + (has_blank ? '"' + folder + '"' : folder);
        };
        search(folder_of(kernel.path));
        for (std::string const& folder : kernel.include_dirs)
            search(folder);
        return out;
    }

    [[nodiscard]] compile_result compile(kernel_source const& kernel, compile_request const& v);

    opencl_options options;
    object_cache cache;
    include_scanner scanner{};
    std::mutex mutex{};
    bool is_open = false;
    std::shared_ptr<opencl::library const> cl{};
    opencl::device device = nullptr;
    opencl_target target{};
    std::string identity{};
};

inline compile_result opencl_session::compile(kernel_source const& kernel, compile_request const& v)
{
    auto const start = std::chrono::steady_clock::now();
    std::string const name = "attune: kernel '" + v.function + "' ";
    if (v.result != "void")
        return failure{failure_stage::compile,
                       name + "is declared in the program as " + signature_text(v) +
                           ", but a kernel for a device returns void",
                       {}};
    if (std::string objection = opencl_launch_objection(target.device.limits, {}, v.launch);
        !objection.empty())
        return failure{failure_stage::launch, std::move(objection), {}};
    if (std::optional<compile_result> found = kept(kernel, v, true)) return std::move(*found);

    std::int64_t const began_ns = system_clock_ns();
    include_closure files;
    {
        std::vector<std::string> flags = options.flags;
        flags.insert(flags.end(), kernel.flags.begin(), kernel.flags.end());
        flags.insert(flags.end(), v.flags.begin(), v.flags.end());
        auto const where = nvrtc_places(kernel, plain_flags(flags), {});
        files = scanner.closure(included_names(kernel.text), where.folders.front(), where);
    }
    auto const build =
        std::make_shared<opencl_build>(*cl, target.device.ordinal, device, opencl_text(kernel, v));
    std::optional<opencl::result> const ended =
        opencl_build::run(build, build_options(kernel, v), options.limit_s);
    if (!ended)
        return failure{failure_stage::compile,
                       took_too_long(v.function, options.limit_s, "opencl_options"),
                       {}};
    if (*ended != opencl::success) {
        failure why = compile_failure(build->log());
        if (why.log.empty()) why.reason = "OpenCL's compiler: " + opencl::text_of(*ended);
        return why;
    }
    opencl_kernel_info const made(*cl, device, build->handle(), v.function);
    if (made.said() != opencl::success)
        return failure{failure_stage::load,
                       name + "is not defined in " + kernel.path + "; the program declares it as " +
                           signature_text(v) + " (" + opencl::text_of(made.said()) + ')',
                       build->log()};
    std::string objection;
    opencl::code_image image;
    image.options = build_options(kernel, v);
    image.arguments = forms_of(v, made.arguments(), objection);
    if (!objection.empty()) return failure{failure_stage::compile, name + objection, build->log()};
    device_code code;
    code.resources = made.resources();
    code.entry = v.function;
    if (std::string refused = opencl_launch_objection(target.device.limits, code.resources,
                                                      v.launch, made.declared_size());
        !refused.empty())
        return failure{failure_stage::launch, std::move(refused), {}};
    image.binary = build->binary();
    if (image.binary.empty())
        return failure{failure_stage::load, "OpenCL gave no binary of the program", build->log()};
    code.image = opencl::text_of_image(image);
    if (files.is_known && !tells_the_time(kernel.text))
        (void)cache.add(key_of(kernel, v), kept_device_code(code),
                        {{files.read.begin(), files.read.end()},
                         {files.missed.begin(), files.missed.end()},
                         {cl->path},
                         began_ns});
    return finish(std::move(code), kernel, v, start, false);
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE opencl_compiler::opencl_compiler(opencl_options options)
    : session_(std::make_shared<detail::opencl_session>(std::move(options)))
{
}

ATTUNE_INLINE compile_result opencl_compiler::compile(kernel_source const& kernel,
                                                      compile_request const& v) const
{
    detail::own_float_environment const numbers;
    session_->open();
    return session_->compile(kernel, v);
}

ATTUNE_INLINE std::string opencl_compiler::identity() const
{
    session_->open();
    return session_->identity;
}

ATTUNE_INLINE opencl_target const& opencl_compiler::target() const
{
    session_->open();
    return session_->target;
}

ATTUNE_INLINE void* opencl_compiler::context() const
{
    return detail::opencl::context_of(target().device.ordinal);
}

ATTUNE_INLINE void* opencl_compiler::queue() const
{
    return detail::opencl::default_queue_of(target().device.ordinal);
}

ATTUNE_INLINE std::string opencl_compiler::missing() const
{
    std::string text;
    try {
        session_->open();
    } catch (error const& thrown) {
        text = detail::sentence_of(thrown);
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

ATTUNE_INLINE std::optional<callable> opencl_compiler::find_winner(kernel_source const& kernel,
                                                                   compile_request const& v) const
{
    session_->open();
    std::optional<compile_result> found = session_->kept(kernel, v, false);
    if (!found || !std::holds_alternative<callable>(*found)) return {};
    return std::get<callable>(std::move(*found));
}

ATTUNE_INLINE bool opencl_compiler::keep_winner(kernel_source const& kernel,
                                                compile_request const& v) const
{
    session_->open();
    return session_->cache.look(session_->key_of(kernel, v)).has_value();
}

ATTUNE_INLINE cache_statistics opencl_compiler::statistics() const
{
    return session_->cache.statistics();
}

} // namespace attune::inline ATTUNE_ABI
