// Programs: the formulas of measures as instructions, which run a topic at a time.
//
// A register holds one number of a topic (it is *single*) or one number per hit, judged document, or rank. Each
// instruction fills one register with one operation of IEEE arithmetic per number, the very operations that NumPy
// would do, in the same order. What follows from the judgments alone is computed once per topic and kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rankgauge {

union Cell {
    double number;
    std::int64_t whole;  // of counts, ranks, places and truth values
};

enum class Op {
    ADD, SUB, MUL, DIV, MIN, MAX,
    WHOLE_ADD, WHOLE_SUB, WHOLE_MUL, WHOLE_DIV, WHOLE_MIN, WHOLE_MAX,
    LESS, AT_MOST, EQUAL, UNEQUAL,
    TO_NUMBER, TO_WHOLE, LOG, LOG2,
    CHOOSE, FILL,
    SIZE, NTH, KEEP, ORDER, TAKE, PREVIOUS, LAST_EQUAL, MERGE,
    SUMS, PRODUCTS, HIGHEST, BEST_TO_COME,
    COUNT, GET, BY_RANK, LOOK_UP, REFUSE
};

struct Operation {
    const char* name;
    Op op;
    int operands;  // registers; further arguments are numbers of tables
    enum Shape { LIKE_ALL, LIKE_FIRST, LIKE_SECOND, LIKE_THIRD, SINGLE, SEVERAL } shape;  // of the result
};

constexpr Operation OPERATIONS[] = {
    {"add", Op::ADD, 2, Operation::LIKE_ALL},
    {"sub", Op::SUB, 2, Operation::LIKE_ALL},
    {"mul", Op::MUL, 2, Operation::LIKE_ALL},
    {"div", Op::DIV, 2, Operation::LIKE_ALL},
    {"min", Op::MIN, 2, Operation::LIKE_ALL},
    {"max", Op::MAX, 2, Operation::LIKE_ALL},
    {"whole add", Op::WHOLE_ADD, 2, Operation::LIKE_ALL},
    {"whole sub", Op::WHOLE_SUB, 2, Operation::LIKE_ALL},
    {"whole mul", Op::WHOLE_MUL, 2, Operation::LIKE_ALL},
    {"whole div", Op::WHOLE_DIV, 2, Operation::LIKE_ALL},
    {"whole min", Op::WHOLE_MIN, 2, Operation::LIKE_ALL},
    {"whole max", Op::WHOLE_MAX, 2, Operation::LIKE_ALL},
    {"less", Op::LESS, 2, Operation::LIKE_ALL},
    {"at most", Op::AT_MOST, 2, Operation::LIKE_ALL},
    {"equal", Op::EQUAL, 2, Operation::LIKE_ALL},
    {"unequal", Op::UNEQUAL, 2, Operation::LIKE_ALL},
    {"to number", Op::TO_NUMBER, 1, Operation::LIKE_ALL},
    {"to whole", Op::TO_WHOLE, 1, Operation::LIKE_ALL},
    {"log", Op::LOG, 1, Operation::LIKE_ALL},
    {"log2", Op::LOG2, 1, Operation::LIKE_ALL},
    {"choose", Op::CHOOSE, 3, Operation::LIKE_ALL},        // condition, then, else
    {"fill", Op::FILL, 2, Operation::SEVERAL},              // a single number, as often as the other has some
    {"size", Op::SIZE, 1, Operation::SINGLE},               // how many numbers there are
    {"nth", Op::NTH, 1, Operation::SEVERAL},                // 1, 2, 3, ... for each of them
    {"keep", Op::KEEP, 1, Operation::SEVERAL},              // the places, from 0, where a condition holds
    {"order", Op::ORDER, 2, Operation::SEVERAL},            // places by two keys, descending; stable
    {"take", Op::TAKE, 2, Operation::SEVERAL},              // the numbers at some places
    {"previous", Op::PREVIOUS, 2, Operation::SEVERAL},      // the number before each; another before the first
    {"last equal", Op::LAST_EQUAL, 1, Operation::SEVERAL},  // whether the next is another number
    {"merge", Op::MERGE, 2, Operation::SEVERAL},            // ascending ranks of both, each once
    {"sums", Op::SUMS, 1, Operation::SEVERAL},              // running sums
    {"products", Op::PRODUCTS, 1, Operation::SEVERAL},
    {"highest", Op::HIGHEST, 1, Operation::SEVERAL},        // down to each
    {"best to come", Op::BEST_TO_COME, 1, Operation::SEVERAL},
    {"count", Op::COUNT, 2, Operation::LIKE_SECOND},        // how many ascending ranks are at or above each rank
    {"get", Op::GET, 3, Operation::LIKE_SECOND},            // the n-th number, or another where there is none
    {"by rank", Op::BY_RANK, 1, Operation::LIKE_FIRST},     // from a table by rank
    {"look up", Op::LOOK_UP, 1, Operation::LIKE_FIRST},     // from a table by grade: grades and values
    {"refuse", Op::REFUSE, 1, Operation::SINGLE},           // a condition that no program can handle
};

constexpr int RANK = 0, GRADE = 1, RETRIEVED = 2, JUDGED = 3, INPUTS = 4;  // registers that a topic fills

struct Instruction {
    Op op;
    int operand[3];
    int table;
};

// Why a topic has no values: it needs tables down to a deeper rank, or a way of computing that is no program.
struct Stopped {
    std::int64_t depth;  // 0: no program
};

// Judged documents that a run retrieved for one topic, in rank order.
struct TopicHits {
    const std::int64_t* rank;
    const std::int64_t* judgment;  // the number among all judgments
    std::size_t size;
    std::int64_t retrieved;
};

class Program {
public:
    std::vector<Cell> constants;
    std::vector<std::vector<double>> tables;
    std::vector<int> outputs;

    // `starts` and `grades` are those of all judgments; those below `lowest` are left out of the pools.
    Program(const std::vector<std::int64_t>& starts, std::vector<double> grades, double lowest)
        : grades_(std::move(grades)) {
        for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
            for (std::int64_t j = starts[t]; j < starts[t + 1]; ++j)
                if (grades_[std::size_t(j)] >= lowest) judged_.push_back(Cell{grades_[std::size_t(j)]});
            judged_starts_.push_back(judged_.size());
        }
    }

    // Before any instruction.
    void add_constants(std::vector<Cell> values) {
        constants = std::move(values);
        for (std::size_t i = 0; i < INPUTS + constants.size(); ++i) {
            single_.push_back(i == RETRIEVED || i >= INPUTS);
            fixed_.push_back(i >= JUDGED);
        }
    }

    // Fills the next register.
    void add(const Operation& operation, const int (&arguments)[4]) {
        Instruction added{operation.op, {0, 0, 0}, arguments[operation.operands]};
        bool all_single = true, fixed = true;
        for (int n = 0; n < operation.operands; ++n) {
            const int of = arguments[n];
            if (of < 0 || std::size_t(of) >= single_.size()) throw std::invalid_argument("no such register");
            added.operand[n] = of;
            all_single &= single_[std::size_t(of)] != 0;
            fixed &= fixed_[std::size_t(of)] != 0;
        }
        const std::size_t needed = added.op == Op::BY_RANK ? 1 : added.op == Op::LOOK_UP ? 2 : 0;
        if (needed && (added.table < 0 || std::size_t(added.table) + needed > tables.size()))
            throw std::invalid_argument("no such table");
        if (added.op == Op::LOOK_UP && tables[std::size_t(added.table)].size() != tables[std::size_t(added.table) + 1].size())
            throw std::invalid_argument("tables of different lengths");
        auto like = [&](int n) { return single_[std::size_t(added.operand[n])] != 0; };
        const bool single = operation.shape == Operation::LIKE_ALL      ? all_single
                            : operation.shape == Operation::LIKE_FIRST  ? like(0)
                            : operation.shape == Operation::LIKE_SECOND ? like(1)
                                                                        : operation.shape == Operation::SINGLE;
        instructions_.push_back(added);
        single_.push_back(single);
        fixed_.push_back(fixed);
    }

    void add_output(int of) {
        if (of < 0 || std::size_t(of) >= single_.size() || !single_[std::size_t(of)])
            throw std::invalid_argument("outputs are single numbers");
        outputs.push_back(of);
    }

    // Divides the instructions into those that need the judgments alone, and others.
    void close() {
        std::vector<char> used(single_.size(), false);
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            const bool fixed = fixed_[result(i)];
            (fixed ? of_judgments_ : of_runs_).push_back(i);
            if (!fixed)
                for (int of : instructions_[i].operand) used[std::size_t(of)] = true;
        }
        for (int of : outputs) used[std::size_t(of)] = true;
        for (std::size_t i : of_judgments_)
            if (used[result(i)]) kept_.push_back(result(i));
    }

    std::size_t topics() const { return judged_starts_.size() - 1; }
    std::size_t judgments() const { return grades_.size(); }

    // What running needs beside the program: each thread has its own.
    class Room {
    public:
        explicit Room(const Program& program)
            : program_(program), registers_(program.single_.size()), own_(program.single_.size()),
              kept_(program.topics()) {
            for (std::size_t i = 0; i < program.constants.size(); ++i)
                registers_[INPUTS + i] = {&program.constants[i], 1};
        }

        // The outputs for one topic.
        void run(std::size_t topic, const TopicHits& hits, double* values, std::size_t step = 1) {
            const std::size_t begin = program_.judged_starts_[topic], end = program_.judged_starts_[topic + 1];
            registers_[JUDGED] = {program_.judged_.data() + begin, end - begin};
            prepare(topic);
            Cell* grade = room_for(GRADE, hits.size);
            Cell* rank = room_for(RANK, hits.size);
            for (std::size_t i = 0; i < hits.size; ++i) {
                grade[i].number = program_.grades_[std::size_t(hits.judgment[i])];
                rank[i].whole = hits.rank[i];
            }
            room_for(RETRIEVED, 1)->whole = hits.retrieved;
            for (std::size_t i : program_.of_runs_) execute(i);
            for (int of : program_.outputs) {
                *values = registers_[std::size_t(of)].cells->number;
                values += step;
            }
        }

    private:
        struct Register {
            const Cell* cells = nullptr;
            std::size_t size = 0;
        };

        // The registers that follow from the judgments: computed, or as they were kept.
        void prepare(std::size_t topic) {
            std::vector<Cell>& kept = kept_[topic];
            if (kept.empty()) {
                for (std::size_t i : program_.of_judgments_) execute(i);
                std::size_t needed = 1;
                for (std::size_t of : program_.kept_) needed += 1 + registers_[of].size;
                if (needed > left_) return;
                left_ -= needed;
                kept.reserve(needed);
                kept.push_back(Cell{0.0});
                for (std::size_t of : program_.kept_) {
                    Cell size;
                    size.whole = std::int64_t(registers_[of].size);
                    kept.push_back(size);
                    kept.insert(kept.end(), registers_[of].cells, registers_[of].cells + registers_[of].size);
                }
            }
            const Cell* at = kept.data() + 1;
            for (std::size_t of : program_.kept_) {
                registers_[of] = {at + 1, std::size_t(at->whole)};
                at += 1 + at->whole;
            }
        }

        Cell* room_for(std::size_t of, std::size_t size) {
            if (own_[of].size() < size) own_[of].resize(std::max<std::size_t>(8, size + size / 2));
            registers_[of] = {own_[of].data(), size};
            return own_[of].data();
        }

        template <class Combine>
        void each(std::size_t result, const Instruction& by, Combine combine) {
            const Register a = registers_[std::size_t(by.operand[0])], b = registers_[std::size_t(by.operand[1])];
            const std::size_t a_step = !program_.single_[std::size_t(by.operand[0])];
            const std::size_t b_step = !program_.single_[std::size_t(by.operand[1])];
            const std::size_t size = a_step ? a.size : b.size;
            if (a_step && b_step && a.size != b.size) throw std::invalid_argument("registers of different sizes");
            Cell* out = room_for(result, size);
            for (std::size_t i = 0; i < size; ++i) out[i] = combine(a.cells[i * a_step], b.cells[i * b_step]);
        }
        template <class Combine>
        void each_number(std::size_t result, const Instruction& by, Combine combine) {
            each(result, by, [&](Cell a, Cell b) { return Cell{combine(a.number, b.number)}; });
        }
        template <class Combine>
        void each_whole(std::size_t result, const Instruction& by, Combine combine) {
            each(result, by, [&](Cell a, Cell b) { return of_whole(combine(a.whole, b.whole)); });
        }
        template <class Holds>
        void each_truth(std::size_t result, const Instruction& by, Holds holds) {
            each(result, by, [&](Cell a, Cell b) { return of_whole(holds(a.number, b.number)); });
        }
        template <class Change>
        void each_one(std::size_t result, const Instruction& by, Change change) {
            const Register a = registers_[std::size_t(by.operand[0])];
            Cell* out = room_for(result, a.size);
            for (std::size_t i = 0; i < a.size; ++i) out[i] = change(a.cells[i]);
        }
        // A number from the one before it and its own.
        template <class Combine>
        void running(std::size_t result, const Instruction& by, double first, Combine combine) {
            each_one(result, by, [&](Cell a) { return Cell{first = combine(first, a.number)}; });
        }

        static Cell of_whole(std::int64_t whole) {
            Cell cell;
            cell.whole = whole;
            return cell;
        }
        static std::int64_t wrapped(std::uint64_t whole) { return std::int64_t(whole); }

        static std::int64_t divided(std::int64_t a, std::int64_t b) {
            if (b == 0 || b == -1) throw Stopped{0};
            return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
        }
        static Cell logarithm(Cell a, double (*function)(double)) {
            if (a.number <= 0) throw Stopped{0};  // an error
            return Cell{function(a.number)};
        }
        static Cell truncated(Cell a) {
            if (!(std::fabs(a.number) < 9e18)) throw Stopped{0};
            return of_whole(std::int64_t(a.number));
        }

        void execute(std::size_t i) {
            const Instruction& by = program_.instructions_[i];
            const std::size_t result = program_.result(i);
            using Number = double;
            using Whole = std::int64_t;
            using Bits = std::uint64_t;
            switch (by.op) {
            case Op::ADD: return each_number(result, by, [](Number a, Number b) { return a + b; });
            case Op::SUB: return each_number(result, by, [](Number a, Number b) { return a - b; });
            case Op::MUL: return each_number(result, by, [](Number a, Number b) { return a * b; });
            case Op::DIV: return each_number(result, by, [](Number a, Number b) { return a / b; });
            // NaN if one of them is
            case Op::MIN: return each_number(result, by, [](Number a, Number b) { return a <= b || a != a ? a : b; });
            case Op::MAX: return each_number(result, by, [](Number a, Number b) { return a >= b || a != a ? a : b; });
            case Op::WHOLE_ADD: return each_whole(result, by, [](Whole a, Whole b) { return wrapped(Bits(a) + Bits(b)); });
            case Op::WHOLE_SUB: return each_whole(result, by, [](Whole a, Whole b) { return wrapped(Bits(a) - Bits(b)); });
            case Op::WHOLE_MUL: return each_whole(result, by, [](Whole a, Whole b) { return wrapped(Bits(a) * Bits(b)); });
            case Op::WHOLE_DIV: return each_whole(result, by, divided);
            case Op::WHOLE_MIN: return each_whole(result, by, [](Whole a, Whole b) { return std::min(a, b); });
            case Op::WHOLE_MAX: return each_whole(result, by, [](Whole a, Whole b) { return std::max(a, b); });
            case Op::LESS: return each_truth(result, by, [](Number a, Number b) { return a < b; });
            case Op::AT_MOST: return each_truth(result, by, [](Number a, Number b) { return a <= b; });
            case Op::EQUAL: return each_truth(result, by, [](Number a, Number b) { return a == b; });
            case Op::UNEQUAL: return each_truth(result, by, [](Number a, Number b) { return a != b; });
            case Op::TO_NUMBER: return each_one(result, by, [](Cell a) { return Cell{double(a.whole)}; });
            case Op::TO_WHOLE: return each_one(result, by, truncated);
            case Op::LOG: return each_one(result, by, [](Cell a) { return logarithm(a, std::log); });
            case Op::LOG2: return each_one(result, by, [](Cell a) { return logarithm(a, std::log2); });
            case Op::SUMS: return running(result, by, 0.0, [](Number sum, Number a) { return sum + a; });
            case Op::PRODUCTS: return running(result, by, 1.0, [](Number product, Number a) { return product * a; });
            case Op::HIGHEST:
                return running(result, by, -std::numeric_limits<double>::infinity(),
                               [](Number highest, Number a) { return std::max(highest, a); });
            default: return execute_other(result, by);
            }
        }

        void execute_other(std::size_t result, const Instruction& by) {
            const Register a = registers_[std::size_t(by.operand[0])], b = registers_[std::size_t(by.operand[1])],
                           c = registers_[std::size_t(by.operand[2])];
            switch (by.op) {
            case Op::CHOOSE: {
                std::size_t step[3], size = 1;
                const Register* of[] = {&a, &b, &c};
                for (int n = 0; n < 3; ++n)
                    if ((step[n] = !program_.single_[std::size_t(by.operand[n])])) size = of[n]->size;
                for (int n = 0; n < 3; ++n)
                    if (step[n] && of[n]->size != size) throw std::invalid_argument("registers of different sizes");
                Cell* out = room_for(result, size);
                for (std::size_t i = 0; i < size; ++i)
                    out[i] = a.cells[i * step[0]].whole ? b.cells[i * step[1]] : c.cells[i * step[2]];
                return;
            }
            case Op::FILL:
                if (a.size != 1) throw std::invalid_argument("not a single number");
                std::fill_n(room_for(result, b.size), b.size, *a.cells);
                return;
            case Op::SIZE:
                room_for(result, 1)->whole = std::int64_t(a.size);
                return;
            case Op::NTH: {
                Cell* out = room_for(result, a.size);
                for (std::size_t i = 0; i < a.size; ++i) out[i].whole = std::int64_t(i) + 1;
                return;
            }
            case Op::KEEP: {
                Cell* out = room_for(result, a.size);
                std::size_t size = 0;
                for (std::size_t i = 0; i < a.size; ++i)
                    if (a.cells[i].whole) out[size++].whole = std::int64_t(i);
                registers_[result].size = size;
                return;
            }
            case Op::ORDER: {
                if (a.size != b.size) throw std::invalid_argument("registers of different sizes");
                Cell* out = room_for(result, a.size);
                for (std::size_t i = 0; i < a.size; ++i) out[i].whole = std::int64_t(i);
                std::stable_sort(out, out + a.size, [&](Cell one, Cell other) {
                    const double of_one = a.cells[one.whole].number, of_other = a.cells[other.whole].number;
                    if (of_one != of_other) return of_one > of_other;
                    return b.cells[one.whole].number > b.cells[other.whole].number;
                });
                return;
            }
            case Op::TAKE: {
                Cell* out = room_for(result, b.size);
                for (std::size_t i = 0; i < b.size; ++i) {
                    if (std::uint64_t(b.cells[i].whole) >= a.size) throw std::invalid_argument("no such place");
                    out[i] = a.cells[b.cells[i].whole];
                }
                return;
            }
            case Op::PREVIOUS: {
                if (b.size != 1) throw std::invalid_argument("not a single number");
                Cell* out = room_for(result, a.size);
                for (std::size_t i = 0; i < a.size; ++i) out[i] = i ? a.cells[i - 1] : *b.cells;
                return;
            }
            case Op::LAST_EQUAL: {
                Cell* out = room_for(result, a.size);
                for (std::size_t i = 0; i < a.size; ++i)
                    out[i].whole = i + 1 == a.size || a.cells[i].number != a.cells[i + 1].number;
                return;
            }
            case Op::MERGE: {
                Cell* out = room_for(result, a.size + b.size);
                const auto above = [](Cell one, Cell other) { return one.whole < other.whole; };
                registers_[result].size = std::size_t(
                    std::set_union(a.cells, a.cells + a.size, b.cells, b.cells + b.size, out, above) - out);
                return;
            }
            case Op::BEST_TO_COME: {
                Cell* out = room_for(result, a.size);
                double best = -std::numeric_limits<double>::infinity();
                for (std::size_t i = a.size; i-- > 0;) {
                    const double here = a.cells[i].number;
                    out[i].number = best = here >= best || here != here ? here : best;
                }
                return;
            }
            case Op::COUNT: {
                Cell* out = room_for(result, b.size);
                std::size_t passed = 0;
                for (std::size_t i = 0; i < b.size; ++i) {
                    if (i && b.cells[i].whole < b.cells[i - 1].whole) passed = 0;  // no ranking's ranks
                    while (passed < a.size && a.cells[passed].whole <= b.cells[i].whole) ++passed;
                    out[i].whole = std::int64_t(passed);
                }
                return;
            }
            case Op::GET: {
                if (c.size != 1) throw std::invalid_argument("not a single number");
                Cell* out = room_for(result, b.size);
                for (std::size_t i = 0; i < b.size; ++i) {
                    const std::uint64_t place = std::uint64_t(b.cells[i].whole) - 1;
                    out[i] = place < a.size ? a.cells[place] : *c.cells;
                }
                return;
            }
            case Op::BY_RANK: {
                const std::vector<double>& table = program_.tables[std::size_t(by.table)];
                each_one(result, by, [&](Cell rank) {
                    if (rank.whole < 0) throw Stopped{0};
                    if (std::size_t(rank.whole) >= table.size()) throw Stopped{deepest(a)};
                    return Cell{table[std::size_t(rank.whole)]};
                });
                return;
            }
            case Op::LOOK_UP: {
                const std::vector<double>&keys = program_.tables[std::size_t(by.table)],
                           &values = program_.tables[std::size_t(by.table) + 1];
                each_one(result, by, [&](Cell grade) {
                    const auto found = std::lower_bound(keys.begin(), keys.end(), grade.number);
                    if (found == keys.end() || *found != grade.number) throw Stopped{0};
                    return Cell{values[std::size_t(found - keys.begin())]};
                });
                return;
            }
            case Op::REFUSE:
                for (std::size_t i = 0; i < a.size; ++i)
                    if (a.cells[i].whole) throw Stopped{0};
                room_for(result, 1)->whole = 0;
                return;
            default: throw std::invalid_argument("no such operation");
            }
        }

        static std::int64_t deepest(Register ranks) {
            std::int64_t depth = 0;
            for (std::size_t i = 0; i < ranks.size; ++i) depth = std::max(depth, ranks.cells[i].whole);
            return depth;
        }

        const Program& program_;
        std::vector<Register> registers_;
        std::vector<std::vector<Cell>> own_;   // the memory of registers
        std::vector<std::vector<Cell>> kept_;  // by topic; empty if not computed yet
        std::size_t left_ = std::size_t(1) << 22;  // numbers that may still be kept
    };

    // A room that nobody uses; it comes back when the guest goes.
    class Guest {
    public:
        explicit Guest(Program& program) : program_(program) {
            std::lock_guard<std::mutex> lock(program.mutex_);
            if (!program.free_.empty()) {
                room_ = std::move(program.free_.back());
                program.free_.pop_back();
            }
            if (room_) return;
            room_ = std::make_unique<Room>(program);
            program.free_.reserve(++program.rooms_);  // so that it can come back
        }
        ~Guest() {
            std::lock_guard<std::mutex> lock(program_.mutex_);
            program_.free_.push_back(std::move(room_));
        }
        Guest(const Guest&) = delete;
        Room* operator->() const { return room_.get(); }

    private:
        Program& program_;
        std::unique_ptr<Room> room_;
    };

private:
    std::size_t result(std::size_t instruction) const { return INPUTS + constants.size() + instruction; }

    std::vector<double> grades_;
    std::vector<Cell> judged_;
    std::vector<std::size_t> judged_starts_{0};
    std::vector<Instruction> instructions_;
    std::vector<char> single_, fixed_;  // registers with one number; those that follow from judgments alone
    std::vector<std::size_t> of_judgments_, of_runs_, kept_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Room>> free_;
    std::size_t rooms_ = 0;
};

}  // namespace rankgauge
