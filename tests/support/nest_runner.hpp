// tests/support/nest_runner.hpp - compiles written programs, many in one file, and compares results.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_prelude.hpp>
#include <attune/compile/nest/write_program.hpp>
#include <attune/compile/system/process.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nest_interpreter.hpp"

namespace support {

/// Bytes of one array in its element type, aligned, with a guard behind it.
class nest_bytes {
public:
    nest_bytes(std::vector<nest_number> const& values, attune::element_type type)
        : type_(type)
        , bytes_(attune::detail::element_bytes(type))
        , data_(values.size() * bytes_ + 64, 0x5a)
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            put(i, values[i]);
    }
    void* data() { return data_.data(); }
    nest_number get(std::size_t i) const
    {
        using enum attune::element_type;
        switch (type_) {
        case f32:
            return {0, static_cast<double>(as<float>(i))};
        case f64:
            return {0, as<double>(i)};
        case f16:
            return {0, static_cast<double>(as<attune::detail::half_bits>(i))};
        case bf16:
            return {0, static_cast<double>(as<attune::detail::brain_bits>(i))};
        case i8:
            return {as<std::int8_t>(i), 0};
        case u8:
            return {as<std::uint8_t>(i), 0};
        case i16:
            return {as<std::int16_t>(i), 0};
        case u16:
            return {as<std::uint16_t>(i), 0};
        case i32:
            return {as<std::int32_t>(i), 0};
        case u32:
            return {as<std::uint32_t>(i), 0};
        default:
            return {as<std::int64_t>(i), 0};
        }
    }
    bool guard_is_whole() const
    {
        for (std::size_t i = data_.size() - 64; i < data_.size(); ++i)
            if (data_[i] != 0x5a) return false;
        return true;
    }

private:
    template <class T>
    T as(std::size_t i) const
    {
        T out;
        std::memcpy(&out, data_.data() + i * bytes_, sizeof out);
        return out;
    }
    template <class T>
    void set(std::size_t i, T v)
    {
        std::memcpy(data_.data() + i * bytes_, &v, sizeof v);
    }
    void put(std::size_t i, nest_number v)
    {
        using enum attune::element_type;
        switch (type_) {
        case f32:
            return set(i, static_cast<float>(v.real));
        case f64:
            return set(i, v.real);
        case f16:
            return set(i, attune::detail::half_bits(v.real));
        case bf16:
            return set(i, attune::detail::brain_bits(v.real));
        default:
            std::memcpy(data_.data() + i * bytes_, &v.whole, bytes_);
        }
    }
    attune::element_type type_;
    std::size_t bytes_;
    std::vector<unsigned char> data_;
};

/// Programs in one shared object.
class nest_batch {
public:
    /// @param inputs  values of the program's inputs
    void add(attune::loop_program const& program,
             attune::nest_description const& plain,
             std::vector<std::int64_t> inputs = {})
    {
        attune::program_text_options options;
        options.function = "variant_" + std::to_string(items_.size());
        options.has_prelude = false;
        std::string const code = attune::write_program(program, options);
        items_.push_back({plain, std::move(inputs), code});
        body_ += code + '\n';
    }
    static std::string compiler()
    {
        for (char const* const name : {"clang++-19", "clang++", "c++"})
            if (!attune::detail::find_program(name).empty()) return name;
        return {};
    }
    /// @return  what is wrong, empty if every result is that of the interpreter
    std::string run(std::vector<std::string> const& flags = {"-O1", "-march=native"})
    {
        attune::detail::temporary_folder const folder;
        attune::program_text_options options;
        std::string text(attune::detail::nest_prelude);
        text += attune::detail::nest_prelude_math;
        text += attune::detail::nest_prelude_end;
        std::string const source = folder.write("programs.cpp", text + body_);
        std::string const object = folder.path() + "/programs.so";
        std::vector<std::string> command{compiler(), "-std=c++17", "-shared", "-fPIC", "-w"};
        command.insert(command.end(), flags.begin(), flags.end());
        command.insert(command.end(), {source, "-o", object});
        auto const done = attune::detail::run_process(command, 120);
        if (!done.succeeded()) return "does not compile: " + done.output.substr(0, 3000) + body_;
        void* const library = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return ::dlerror();
        std::string wrong;
        for (std::size_t i = 0; i < items_.size() && wrong.empty(); ++i)
            wrong = compare(items_[i], ::dlsym(library, ("variant_" + std::to_string(i)).c_str()));
        ::dlclose(library);
        return wrong;
    }
    std::size_t size() const { return items_.size(); }

private:
    struct item {
        attune::nest_description plain;
        std::vector<std::int64_t> inputs;
        std::string code;
    };

    static std::string compare(item const& of, void* function)
    {
        nest_interpreter wanted(of.plain, of.inputs);
        std::uint64_t state = 12345;
        for (std::size_t a = 0; a < wanted.arrays.size(); ++a)
            for (nest_number& v : wanted.arrays[a]) {
                state = state * 6364136223846793005ULL + 1442695040888963407ULL;
                auto const draw = static_cast<std::int64_t>((state >> 40) % 17) - 8;
                v = nest_rounded({draw, static_cast<double>(draw) / 8},
                                 is_real(of.plain.arrays[a].element),
                                 of.plain.arrays[a].element);
            }
        std::vector<nest_bytes> memory;
        std::vector<void*> pointers;
        std::vector<std::size_t> which;
        for (std::size_t a = 0; a < wanted.arrays.size(); ++a)
            if (of.plain.arrays[a].role != attune::nest_role::temporary) {
                memory.emplace_back(wanted.arrays[a], of.plain.arrays[a].element);
                which.push_back(a);
            }
        for (nest_bytes& m : memory)
            pointers.push_back(m.data());
        wanted.run();
        call(function, pointers, of.inputs);
        for (std::size_t m = 0; m < memory.size(); ++m) {
            std::size_t const a = which[m];
            bool const real = is_real(of.plain.arrays[a].element);
            double scale = 1e-3;
            for (nest_number const& v : wanted.arrays[a])
                scale = std::fmax(scale, std::fabs(v.real));
            double const within =
                attune::detail::default_tolerance(of.plain.arrays[a].element).relative * scale;
            for (std::size_t i = 0; i < wanted.arrays[a].size(); ++i) {
                nest_number const got = memory[m].get(i);
                nest_number const want = wanted.arrays[a][i];
                bool const same =
                    real ? std::fabs(got.real - want.real) <= within : got.whole == want.whole;
                if (!same)
                    return of.plain.arrays[a].name + '[' + std::to_string(i) + "] is " +
                           std::to_string(real ? got.real : static_cast<double>(got.whole)) +
                           ", not " +
                           std::to_string(real ? want.real : static_cast<double>(want.whole)) +
                           "\n" + of.code;
            }
            if (!memory[m].guard_is_whole()) return "writes behind its array\n" + of.code;
        }
        return {};
    }
    static void call(void* f, std::vector<void*> const& p, std::vector<std::int64_t> const& n)
    {
        // Pointers and 64-bit integers are passed alike.
        std::vector<std::int64_t> a;
        for (void* const x : p)
            a.push_back(reinterpret_cast<std::int64_t>(x));
        a.insert(a.end(), n.begin(), n.end());
        a.resize(10, 0);
        using any = void (*)(std::int64_t,
                             std::int64_t,
                             std::int64_t,
                             std::int64_t,
                             std::int64_t,
                             std::int64_t,
                             std::int64_t,
                             std::int64_t,
                             std::int64_t,
                             std::int64_t);
        reinterpret_cast<any>(f)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
    }

    std::vector<item> items_;
    std::string body_;
};

} // namespace support
