// Between Python and C++: buffers, exceptions, the GIL, and objects that hold C++ ones. Only the limited API is used.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <atomic>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "judgments.hpp"
#include "table.hpp"
#include "text.hpp"

namespace rankgauge {

struct Failed {};  // a Python exception is set

// Owns a view of a caller's buffer.
class Buffer {
public:
    explicit Buffer(PyObject* object) {
        if (PyObject_GetBuffer(object, &view_, PyBUF_SIMPLE) != 0) throw Failed();
    }
    ~Buffer() { PyBuffer_Release(&view_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    const char* data() const { return static_cast<const char*>(view_.buf); }
    std::size_t size() const { return std::size_t(view_.len); }

    template <class Number>
    const Number* numbers() const {
        const bool aligned = reinterpret_cast<std::uintptr_t>(data()) % alignof(Number) == 0;
        if (size() % sizeof(Number) != 0 || !(aligned || size() == 0))  // an empty buffer may be anywhere
            throw std::invalid_argument("a buffer of numbers of another size is expected");
        return reinterpret_cast<const Number*>(data());
    }
    template <class Number>
    std::vector<Number> copy() const {
        return std::vector<Number>(numbers<Number>(), numbers<Number>() + size() / sizeof(Number));
    }
    std::size_t count() const { return size() / 8; }
    bool of_floats() const { return view_.itemsize == sizeof(float); }

    // Integers of 32 bits if that is the size of an item, otherwise of 64: bytes are their memory.
    bool is_narrow() const { return view_.itemsize == sizeof(std::int32_t); }
    Numbers integers() const {
        if (is_narrow()) return {nullptr, numbers<std::int32_t>()};
        return {numbers<std::int64_t>(), nullptr};
    }
    std::size_t count_of_integers() const { return size() / (is_narrow() ? sizeof(std::int32_t) : sizeof(std::int64_t)); }

private:
    Py_buffer view_;
};

// A column of byte strings, checked to stay inside its data.
class Texts {
public:
    Texts(PyObject* data, PyObject* offsets) : data_(data), offsets_(offsets) {
        if (offsets_.is_narrow()) check(offsets_.numbers<std::int32_t>());
        else check(offsets_.numbers<std::int64_t>());
    }
    Column column() const { return {data_.data(), offsets_.integers(), offsets_.count_of_integers() - 1}; }

private:
    template <class Offset>
    void check(const Offset* ends) const {
        const std::size_t count = offsets_.count_of_integers();
        if (count == 0 || ends[0] < 0) throw std::invalid_argument("offsets begin with 0");
        bool rising = true;
        for (std::size_t i = 1; i < count; ++i) rising &= ends[i] >= ends[i - 1];
        if (!rising) throw std::invalid_argument("offsets must not decrease");
        if (ends[count - 1] > std::int64_t(data_.size())) throw std::invalid_argument("offsets lie outside the data");
    }

    Buffer data_, offsets_;
};

class Unlocked {
public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    ~Unlocked() { PyEval_RestoreThread(state_); }
    Unlocked(const Unlocked&) = delete;

private:
    PyThreadState* state_;
};

inline PyObject* checked(PyObject* object) {
    if (!object) throw Failed();
    return object;
}

// Owns a reference until it is handed on.
class Owned {
public:
    explicit Owned(PyObject* object) : object_(checked(object)) {}
    ~Owned() { Py_XDECREF(object_); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;

    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }

private:
    PyObject* object_;
};

// Asks for large pages, where the system has them: new memory is then touched for the first time in far less time.
inline void prefer_large_pages(char* memory, std::size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size < std::size_t(1) << 22) return;
    const std::uintptr_t page = std::uintptr_t(sysconf(_SC_PAGESIZE)), begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (begin + page - 1) / page * page;
    madvise(reinterpret_cast<void*>(first), size - (first - begin), MADV_HUGEPAGE);  // no more than a wish
#else
    (void)memory;
    (void)size;
#endif
}

// A bytes object to be filled with this many numbers.
template <class Number>
class Filled : public Owned {
public:
    explicit Filled(std::size_t count)
        : Owned(PyBytes_FromStringAndSize(nullptr, size_of(count))),
          numbers_(reinterpret_cast<Number*>(PyBytes_AsString(get()))) {
        prefer_large_pages(reinterpret_cast<char*>(numbers_), count * sizeof(Number));
    }

    Number& operator[](std::size_t i) { return numbers_[i]; }
    Number* data() { return numbers_; }

private:
    static Py_ssize_t size_of(std::size_t count) {
        if (count > std::size_t(PY_SSIZE_T_MAX) / sizeof(Number)) throw std::bad_alloc();
        return Py_ssize_t(count * sizeof(Number));
    }

    Number* numbers_;
};

template <class Number>
PyObject* bytes_of(const std::vector<Number>& numbers) {
    return checked(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(numbers.data()),
                                             Py_ssize_t(numbers.size() * sizeof(Number))));
}

inline PyObject* bytes_of(const std::string& text) {
    return checked(PyBytes_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
}

inline PyObject* pair_of(const Strings& strings) {
    return checked(Py_BuildValue("(NN)", bytes_of(strings.data), bytes_of(strings.offsets)));
}

inline PyObject* tuple_of(const Problem& problem) {
    if (!problem) Py_RETURN_NONE;
    return checked(Py_BuildValue("(iLy#)", int(problem.code), static_cast<long long>(problem.line),
                                 problem.found.data(), Py_ssize_t(problem.found.size())));
}

// Runs a body, turning C++ exceptions into Python's.
template <class Body>
auto guarded(Body&& body, decltype(body()) failed) -> decltype(body()) {
    try {
        return body();
    } catch (const Failed&) {
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    }
    return failed;
}

// A Python object that holds a C++ one. Objects work without the GIL, so each admits one caller at a time.
template <class Inner>
struct Holder {
    PyObject_HEAD
    Inner* inner;
    std::atomic<bool>* busy;
};

template <class Inner>
class Entered {
public:
    explicit Entered(PyObject* self) : holder_(reinterpret_cast<Holder<Inner>*>(self)) {
        if (!holder_->inner) throw std::invalid_argument("this object was not initialised");
        if (holder_->busy->exchange(true)) throw std::invalid_argument("this object is in use by another thread");
    }
    ~Entered() { holder_->busy->store(false); }
    Inner* operator->() const { return holder_->inner; }

private:
    Holder<Inner>* holder_;
};

template <class Inner>
PyObject* make(PyTypeObject* type, Inner* inner) {
    std::unique_ptr<Inner> owned(inner);
    auto* alloc = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
    PyObject* self = checked(alloc(type, 0));
    auto* holder = reinterpret_cast<Holder<Inner>*>(self);
    holder->busy = new std::atomic<bool>(false);
    holder->inner = owned.release();
    return self;
}

template <class Inner>
void destroy(PyObject* self) {
    auto* holder = reinterpret_cast<Holder<Inner>*>(self);
    delete holder->inner;
    delete holder->busy;
    PyTypeObject* type = Py_TYPE(self);
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

inline void no_keywords(PyObject* keywords) {
    if (keywords && PyDict_Size(keywords) > 0) throw std::invalid_argument("arguments are positional");
}

}  // namespace rankgauge
