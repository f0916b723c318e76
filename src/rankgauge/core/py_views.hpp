// Python functions on Arrow's string views.
#pragma once

#include "python.hpp"

#include <memory>
#include <vector>

#include "py_columns.hpp"

namespace rankgauge {

// Arrow's string views: 16 bytes each, with the string itself or its place in one of several buffers.
class Views {
public:
    Views(PyObject* views, PyObject* heaps) : views_(views) {
        for (Py_ssize_t i = 0; i < PyList_Size(heaps); ++i)
            heaps_.push_back(std::make_unique<Buffer>(PyList_GetItem(heaps, i)));
    }

    std::size_t size() const { return views_.size() / 16; }
    const char* at(std::size_t i) const { return views_.data() + 16 * i; }

    std::string_view operator[](std::size_t i) const {
        std::int32_t parts[4];  // size, prefix, number of the buffer, place in it
        std::memcpy(parts, at(i), 16);
        if (parts[0] < 0) throw std::invalid_argument("a view of negative length");
        const auto length = std::size_t(parts[0]);
        if (length <= 12) return {at(i) + 4, length};
        if (parts[2] < 0 || std::size_t(parts[2]) >= heaps_.size() || parts[3] < 0 ||
            std::size_t(parts[3]) + length > heaps_[std::size_t(parts[2])]->size())
            throw std::invalid_argument("a view outside its buffers");
        return {heaps_[std::size_t(parts[2])]->data() + parts[3], length};
    }

private:
    Buffer views_;
    std::vector<std::unique_ptr<Buffer>> heaps_;
};

inline PyObject* core_pack_views(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *buffer, *heaps;
            if (!PyArg_ParseTuple(args, "OO!", &buffer, &PyList_Type, &heaps)) throw Failed();
            const Views views(buffer, heaps);
            Filled<std::int64_t> offsets(views.size() + 1);
            offsets[0] = 0;
            {
                Unlocked unlocked;
                for (std::size_t i = 0; i < views.size(); ++i)
                    offsets[i + 1] = offsets[i] + std::int64_t(views[i].size());
            }
            const auto size = std::size_t(offsets[views.size()]);
            Filled<char> data(size);
            {
                Unlocked unlocked;
                for (std::size_t i = 0; i < views.size(); ++i) {
                    const std::string_view text = views[i];
                    const auto place = std::size_t(offsets[i]);
                    char* to = data.data() + place;
                    // 12 bytes at once, where there is room: the next string overwrites what is too much
                    if (text.size() <= 12 && place + 12 <= size) std::memcpy(to, text.data(), 12);
                    else if (text.size() >= 16 && text.size() <= 32) {  // two copies of 16 that overlap: no call
                        std::memcpy(to, text.data(), 16);
                        std::memcpy(to + text.size() - 16, text.data() + text.size() - 16, 16);
                    } else std::memcpy(to, text.data(), text.size());
                }
            }
            return checked(Py_BuildValue("(NN)", data.release(), offsets.release()));
        },
        nullptr);
}

inline PyObject* core_encode_views(PyObject*, PyObject* args) {
    return guarded(
        [&] {
            PyObject *buffer, *heaps;
            if (!PyArg_ParseTuple(args, "OO!", &buffer, &PyList_Type, &heaps)) throw Failed();
            const Views views(buffer, heaps);
            // equal views are equal strings; different ones may be, too, when they lie in the buffers
            return encoded(views, views.size(),
                           [&](std::size_t i) { return std::memcmp(views.at(i), views.at(i - 1), 16) == 0; });
        },
        nullptr);
}

}  // namespace rankgauge
