// attune/compile/opencl.ipp - the state and the work of an opencl_compiler.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nvrtc.hpp>
#include <attune/compile/nvrtc/cubin.hpp>
#include <attune/compile/nvrtc/detail/includes.hpp>
#include <attune/compile/nvrtc/detail/run.hpp>
#include <attune/compile/opencl.hpp>
#include <attune/compile/opencl/builder.hpp>
#include <attune/compile/opencl/spirv.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/opencl/library.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true for a platform that makes code for a size of work-groups at its first launch, and
/// keeps that code by the program's text. For a binary, which no launch uses, it compiles once
/// more: PoCL 3.1 takes as long for the binary of a matrix product as for its launch.
[[nodiscard]] inline bool compiles_at_launch(opencl::found_device const& on)
{
    return on.platform_name == "Portable Computing Language";
}

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
        opencl_target found =
            find_opencl_target(options.platform, options.device, options.library, options.context);
        if (options.context != nullptr)
            opencl::adopt_context(found.device.ordinal,
                                  static_cast<opencl::context>(options.context));
        auto const& chosen =
            opencl::devices_in_use()[static_cast<std::size_t>(found.device.ordinal)];
        builder = make_opencl_builder(found.device.ordinal);
        keeps_text = compiles_at_launch(chosen);
        opencl::library const& cl = *opencl::library_in_use();
        takes_modules =
            cl.create_program_with_il != nullptr && cl.set_constant != nullptr &&
            !opencl::text_of_device(cl, chosen.at, opencl::of_device::il_version).empty();
        identity = "opencl " + chosen.platform_version + ", " + chosen.name + ", driver " +
                   chosen.driver_version + joined(options.flags);
        found.start_limit_s = std::clamp(options.limit_s, 0.0, 1e6);
        target = std::move(found);
        is_open = true;
    }

    [[nodiscard]] std::string key_of(kernel_source const& kernel, compile_request const& v) const
    {
        kernel_source all = kernel;
        all.flags.insert(all.flags.begin(), options.flags.begin(), options.flags.end());
        return request_key("opencl device code", identity, all, v);
    }

    /// A callable, or the reason why the device cannot launch it. Code of a build and of the cache
    /// passes the same tests.
    [[nodiscard]] compile_result finish(device_code code, kernel_source const& kernel,
                                        compile_request const& v,
                                        std::chrono::steady_clock::time_point start,
                                        bool from_cache) const
    {
        std::optional<opencl::code_image> image = opencl::image_at(code.image.c_str());
        if (!image) return failure{failure_stage::load, "the code of a kernel is damaged", {}};
        std::string objection = opencl_launch_objection(target.device.limits, code.resources,
                                                        v.launch, image->declared_size);
        if (objection.empty()) objection = local_memory_objection(image->arguments, v);
        if (!objection.empty()) return failure{failure_stage::launch, std::move(objection), {}};
        // A driver compiles the text or binary further. Another driver makes other code of it.
        std::string const object_key = content_hash{}
                                           .add(identity)
                                           .add(code.image)
                                           .add(code.entry)
                                           .add(text_of(v.launch))
                                           .hex();
        image->start_limit_ms = static_cast<std::uint64_t>(target.start_limit_s * 1e3);
        code.image = opencl::text_of_image(*image);
        callable made = callable_of_device({std::move(code), v.launch});
        made.object_key = object_key;
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
        if (!code || !opencl::image_at(code->image.c_str())) return {};
        return finish(std::move(*code), kernel, v, start, true);
    }

    [[nodiscard]] std::string build_options(kernel_source const& kernel,
                                            compile_request const& v) const
    {
        bool const is_module = is_spirv(kernel.text);
        std::string out = is_module ? "" : "-cl-kernel-arg-info";
        auto const add = [&out](std::vector<std::string> const& flags) {
            for (std::string const& flag : flags)
                out += ' ' + flag;
        };
        add(options.flags);
        add(kernel.flags);
        add(v.flags);
        if (is_module) return out;
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
    bool keeps_text = false; ///< images have the text, not a binary, where all its files are known
    bool takes_modules = false; ///< the device takes SPIR-V with specialization constants
    std::unique_ptr<opencl_builder> builder{};
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

    bool const is_module = is_spirv(kernel.text);
    std::string objection;
    spirv_kernel module;
    std::vector<opencl_constant> constants;
    if (is_module) {
        if (!takes_modules)
            return failure{failure_stage::compile,
                           name + "is SPIR-V, which " + target.name() +
                               " does not take with specialization constants (OpenCL 2.2); see "
                               "\"IL version\" of clinfo, or use a kernel file in OpenCL C",
                           {}};
        std::optional<spirv_module> const read = spirv_reader(kernel.text).read();
        if (!read)
            return failure{failure_stage::compile, name + "is damaged SPIR-V: " + kernel.path, {}};
        auto const at = std::find_if(read->kernels.begin(), read->kernels.end(),
                                     [&](spirv_kernel const& k) { return k.name == v.function; });
        if (at != read->kernels.end()) module = *at; // else the platform finds no such kernel
        constants = constants_for(*read, v, objection);
        if (!objection.empty()) return failure{failure_stage::compile, name + objection, {}};
    }
    std::int64_t const began_ns = system_clock_ns();
    include_closure files;
    {
        std::vector<std::string> flags = options.flags;
        flags.insert(flags.end(), kernel.flags.begin(), kernel.flags.end());
        flags.insert(flags.end(), v.flags.begin(), v.flags.end());
        auto const where = nvrtc_places(kernel, plain_flags(flags), {});
        files = scanner.closure(included_names(kernel.text), where.folders.front(), where);
    }
    std::string const options_text = build_options(kernel, v);
    bool const is_text = keeps_text && files.is_known && !is_module;
    std::string text = is_module ? kernel.text : opencl_text(kernel, v);
    if (is_text && !files.read.empty()) // other files make other code, with another object_key
        text += "\n// with files " + files.fingerprint + '\n';
    auto const reply =
        builder->build({text, options_text, v.function, !is_text, constants}, options.limit_s);
    if (auto const* const lost = std::get_if<opencl_build_loss>(&reply))
        return failure{failure_stage::compile,
                       lost->is_late ? took_too_long(v.function, options.limit_s, "opencl_options")
                                     : "OpenCL's compiler ended its process: " + lost->how,
                       lost->log};
    auto const& built = std::get<opencl_built>(reply);
    if (built.of_build != opencl::success) {
        failure why = compile_failure(built.log);
        if (why.log.empty()) why.reason = "OpenCL's compiler: " + opencl::text_of(built.of_build);
        return why;
    }
    if (built.of_kernel != opencl::success)
        return failure{failure_stage::load,
                       name + "is not defined in " + kernel.path + "; the program declares it as " +
                           signature_text(v) + " (" + opencl::text_of(built.of_kernel) + ')',
                       built.log};
    opencl::code_image image;
    image.options = options_text;
    image.arguments = forms_of(v, is_module ? module.arguments : built.arguments, objection);
    if (!objection.empty()) return failure{failure_stage::compile, name + objection, built.log};
    device_code code;
    code.resources = built.resources;
    code.entry = v.function;
    image.declared_size = built.declared_size;
    image.is_text = is_text;
    image.binary = is_text ? text : built.binary;
    if (image.binary.empty())
        return failure{failure_stage::load, "OpenCL gave no binary of the program", built.log};
    code.image = opencl::text_of_image(image);
    if (files.is_known && !tells_the_time(kernel.text))
        (void)cache.add(key_of(kernel, v), kept_device_code(code),
                        {{files.read.begin(), files.read.end()},
                         {files.missed.begin(), files.missed.end()},
                         {opencl::library_in_use()->path},
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
