// tests/support/emulated_compiler.hpp - a device_compiler whose code the emulated driver can run.
// SPDX-License-Identifier: MIT
//
// It takes the text that NVRTC would take and gives it to a compiler of the host, behind the shim
// of tests/emulated_cuda. See there for what is emulated. A test names the driver's path, which
// CMake gives as ATTUNE_EMULATED_CUDA:
//
//     attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
#pragma once

#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/cuda/code.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../emulated_cuda/image.hpp"
#include "emulated_text.hpp"
#include "source_folder.hpp"

namespace attune_test {

struct emulated_options {
    std::string driver{};        ///< of the emulated device; empty with `architecture`: no device
    int device = -1;             ///< as attune::nvrtc_options
    int architecture = 0;        ///< as attune::nvrtc_options
    std::string command = "c++"; ///< g++ or clang++
    double limit_s = 60.0;       ///< wall seconds for one variant
};

/// Models attune::device_compiler. Copies share what was compiled; equal variants of one compiler
/// are compiled once.
class emulated_compiler {
public:
    explicit emulated_compiler(emulated_options options = {})
        : state_(std::make_shared<state>(std::move(options)))
    {
    }

    [[nodiscard]] attune::compile_result compile(attune::kernel_source const& kernel,
                                                 attune::compile_request const& v) const
    {
        auto const begin = std::chrono::steady_clock::now();
        int const architecture = target().limits.architecture;
        attune::detail::content_hash hash;
        std::string const text = emulated_text(kernel, v, architecture);
        hash.add(text).add(kernel.path);
        for (auto const& list :
             {attune::macro_flags(v), kernel.flags, v.flags, kernel.include_dirs})
            for (std::string const& flag : list)
                hash.add(flag);
        std::string const key = hash.hex();
        std::shared_ptr<object const> made = find(key);
        bool const is_known = made != nullptr;
        if (!is_known) {
            auto fresh = std::make_shared<object>();
            if (std::optional<attune::failure> failed = build(text, kernel, v, *fresh))
                return *std::move(failed);
            std::lock_guard const lock(state_->mutex);
            made = state_->objects.emplace(key, std::move(fresh)).first->second;
        }
        auto const kept = std::make_shared<loaded>(loaded{made, {made->code, v.launch}});
        attune::callable out;
        out.address = const_cast<attune::device_variant*>(&kept->what);
        out.code = kept;
        out.object_key = attune::detail::content_hash{}
                             .add(made->bytes_key)
                             .add(attune::text_of(v.launch))
                             .hex();
        out.compile_s =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        out.compiler = identity();
        return out;
    }

    [[nodiscard]] std::string identity() const
    {
        return "emulated " + state_->options.command + " sm_" +
               std::to_string(target().limits.architecture);
    }

    /// Errors   attune::error: neither a device nor an architecture
    [[nodiscard]] attune::cuda_target const& target() const
    {
        std::lock_guard const lock(state_->mutex);
        if (!state_->target) {
            emulated_options const& o = state_->options;
            // No path would mean the machine's own driver, which cannot run such code.
            std::string const path = o.driver.empty() ? "no-emulated-driver.so" : o.driver;
            state_->target = attune::find_cuda_target(o.device, o.architecture, path);
        }
        return *state_->target;
    }

private:
    struct object {
        attune::device_code code{};
        std::string bytes_key{};
    };
    struct loaded {
        std::shared_ptr<object const> code;
        attune::device_variant what;
    };
    struct state {
        explicit state(emulated_options given)
            : options(std::move(given))
        {
        }
        emulated_options options;
        std::mutex mutex{};
        std::optional<attune::cuda_target> target{};
        std::map<std::string, std::shared_ptr<object const>> objects{};
    };

    [[nodiscard]] std::shared_ptr<object const> find(std::string const& key) const
    {
        std::lock_guard const lock(state_->mutex);
        auto const found = state_->objects.find(key);
        return found == state_->objects.end() ? nullptr : found->second;
    }

    /// Of NVRTC's flags those that the host's compiler needs; the others are known and dropped.
    /// @return  the first that NVRTC would not know; empty: none
    static std::string take_flags(std::vector<std::string> const& flags,
                                  std::vector<std::string>& command)
    {
        for (std::string const& flag : flags) {
            bool const is_for_host =
                flag.starts_with("-D") || flag.starts_with("-I") || flag.starts_with("-U");
            if (is_for_host) {
                command.push_back(flag);
                continue;
            }
            std::string const name =
                flag.substr(0, flag.find('=')).substr(flag.starts_with("--") ? 2 : 1);
            bool is_known = false;
            for (char const* const known :
                 {"std", "use_fast_math", "maxrregcount", "fmad", "ftz", "prec-div", "prec-sqrt",
                  "extra-device-vectorization", "generate-line-info", "lineinfo", "restrict",
                  "default-device", "device-int128", "ptxas-options", "gpu-architecture"})
                is_known = is_known || name == known;
            if (!is_known) return flag;
        }
        return {};
    }

    [[nodiscard]] std::optional<attune::failure> build(std::string const& text,
                                                       attune::kernel_source const& kernel,
                                                       attune::compile_request const& v,
                                                       object& out) const
    {
        using attune::failure_stage;
        namespace files = std::filesystem;
        files::path const shim = support::source_folder() + "tests/emulated_cuda";
        // Of the whole process: attune keeps installed code for good, and a driver reads it late.
        static attune::detail::temporary_folder const folder;
        static std::atomic<unsigned> count{0};
        std::string const name = std::to_string(count++);
        std::string const own = folder.path() + '/' + name;
        std::string const source = folder.write(name + "/kernel.cpp", text);
        (void)folder.write(name + "/overlay/attune/tunable.hpp", attune::detail::tunable_overlay);
        std::string const shared = own + "/kernel.so";
        std::vector<std::string> command{state_->options.command, "-std=c++20", "-O1", "-w"};
        for (auto const* const flags : {&kernel.flags, &v.flags})
            if (std::string const unknown = take_flags(*flags, command); !unknown.empty()) {
                std::string const said = "nvrtc: error: unrecognized option " + unknown + " found";
                return attune::failure{failure_stage::compile, said, said + '\n'};
            }
        for (std::string const& flag : attune::macro_flags(v))
            command.push_back(flag);
        for (std::string const& dir : kernel.include_dirs)
            command.push_back("-I" + dir);
        std::string const beside = files::path(kernel.path).parent_path().string();
        for (std::string const& flag :
             {std::string(attune::detail::variant_flag), "-I" + own + "/overlay",
              "-I" + (shim / "include").string(), std::string("-iquote"),
              beside.empty() ? std::string(".") : beside, std::string("-include"),
              (shim / "cuda_shim.hpp").string(), std::string("-fno-exceptions"),
              std::string("-fno-strict-aliasing"),
              // A device faults on every address that is no multiple.
              std::string("-fsanitize=alignment"),
              std::string("-fsanitize-undefined-trap-on-error"), std::string("-fvisibility=hidden"),
              std::string("-fdiagnostics-color=never"), "-ffile-prefix-map=" + own + "=.",
              std::string("-fPIC"), std::string("-shared"), std::string("-Wl,--build-id=none"),
              std::string("-Wl,-Bsymbolic"), std::string("-Wl,-z,defs"), std::string("-o"), shared,
              source, std::string("-lm")})
            command.push_back(flag);
        attune::detail::process_result run =
            attune::detail::run_process(command, state_->options.limit_s, own);
        if (run.timed_out)
            return attune::failure{failure_stage::compile, "compiling took too long", run.output};
        if (!run.succeeded()) return attune::detail::compile_failure(std::move(run.output));
        return read(shared, v, out);
    }

    [[nodiscard]] std::optional<attune::failure>
    read(std::string const& shared, attune::compile_request const& v, object& out) const
    {
        void* const handle = ::dlopen(shared.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            std::string const said = ::dlerror();
            return attune::failure{attune::failure_stage::load, said, said};
        }
        attune_emulated::object_resources const takes = attune_emulated::resources_of(handle);
        ::dlclose(handle);
        if (takes.static_shared_bytes > 48 * 1024) {
            std::string const said =
                "ptxas error   : Entry function '" + v.function + "' uses too much shared data (" +
                std::to_string(takes.static_shared_bytes) + " bytes, 49152 max)";
            return attune::failure{attune::failure_stage::compile, said, said + '\n'};
        }
        std::ostringstream bytes;
        bytes << std::ifstream(shared, std::ios::binary).rdbuf();
        out.bytes_key = attune::detail::content_hash{}.add(bytes.view()).hex();
        attune::code_resources& r = out.code.resources;
        r.registers = takes.registers;
        r.spill_bytes = takes.spill_bytes;
        r.stack_bytes = takes.stack_bytes;
        r.static_shared_bytes = static_cast<std::int64_t>(takes.static_shared_bytes);
        r.most_threads = takes.most_threads;
        out.code.image = attune_emulated::image_text(shared);
        out.code.entry = attune_emulated::kernel_symbol;
        out.code.architecture = static_cast<int>(takes.architecture);
        return std::nullopt;
    }

    std::shared_ptr<state> state_;
};

static_assert(attune::device_compiler<emulated_compiler>);

} // namespace attune_test
