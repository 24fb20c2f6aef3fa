# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# gdb's commands for kernels, by the names of cuda-gdb: `cuda thread (5,0,0)`, `info cuda threads` and so on. It is
# installed beside libheddle_driver.so as libheddle_driver.so-gdb.py, so gdb loads it with the library where its auto-load
# safe-path allows that; `cuda-gdb` starts gdb with the script.
#
# The runtime keeps a list of blocks in memory (device/debugger.h). A thread of a block that runs is a thread of the
# system; the others wait on stacks of their own, with their registers on top. To look at one of them an unwinder of ours
# says that the innermost frame of the thread that stopped was called by the one that waits: gdb's frames then are those
# of both, with the waiting thread's kernel selected. Nothing in the program is changed, and when it goes on, that is over.
#
# The kernel's breakpoints are written to the runtime's table, for threads to gather at. Of a warp the first thread that comes
# stops; the others pass, for they can be looked at from there. So a breakpoint has a condition of ours, beside the user's.
import gdb
import re
import struct

FIELDS = """version blockOfBlock kernelOfBlock deviceOfBlock threadsOfBlock runnerOfBlock launch blockIdx currentWarp warps
gridDim blockDim launchId warpStateBytes frame wait polls first devices deviceCount mostBreakpoints
breakpointCount""".split()
VERSION = 1
WARP = 32
STATEMENT = 5  # WaitKind::Yield
# What a stack that was left has on top, from the lowest address, and its size (block/stack_switch.cpp).
SAVED = {"i386:x86-64": (["r15", "r14", "r13", "r12", "rbx", "rbp", "rip"], 56),
         "aarch64": ([f"x{n}" for n in range(19, 31)], 160)}
STACK = {"i386:x86-64": ("rsp", "rip"), "aarch64": ("sp", "pc")}
STATES = ["waits", "waits at a barrier", "waits at a warp operation", "waits for the grid", "waits for the cluster",
          "stops", "waits for the block", "reads its active mask"]


def read(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def words(address, count):
    return struct.unpack(f"<{count}Q", read(address, 8 * count))


def numbers(address, count):
    return struct.unpack(f"<{count}I", read(address, 4 * count))


def show(triple):
    return "({},{},{})".format(*triple)


def coordinates(index, dim):
    return index % dim[0], index // dim[0] % dim[1], index // dim[0] // dim[1]


def linear(triple, dim):
    return triple[0] + dim[0] * (triple[1] + dim[1] * triple[2])


def address_of_table():
    try:
        return int(gdb.parse_and_eval("&heddle_debugger"))
    except gdb.error:
        return 0


class Table:
    """The runtime's, as it is now; None if the runtime is not there."""

    @staticmethod
    def find():
        address = address_of_table()
        if not address or not gdb.selected_inferior().pid:
            return None
        try:
            return Table(address)
        except gdb.MemoryError:
            return None

    def __init__(self, address):
        self.address = address
        for name, value in zip(FIELDS, words(address, len(FIELDS))):
            setattr(self, name, value)
        if self.version != VERSION:
            raise gdb.GdbError("the program's runtime is of another version than this script")

    def blocks(self):
        found, at = [], self.first
        while at:
            found.append(Block(self, at))
            at = words(at, 1)[0]
        return sorted(found, key=lambda block: (block.launch_id, linear(block.index, block.grid)))

    def device_list(self):
        return [words(self.devices + 40 * i, 5) for i in range(self.deviceCount)]

    def write_breakpoints(self, addresses):
        addresses = addresses[:self.mostBreakpoints]
        at = self.address + 8 * FIELDS.index("breakpointCount")
        gdb.selected_inferior().write_memory(at, struct.pack(f"<{len(addresses) + 1}Q", len(addresses), *addresses))


class Block:
    def __init__(self, table, address):
        self.table = table
        self.address = address
        field = lambda offset: words(address + offset, 1)[0]
        self.threads, self.runner = field(table.threadsOfBlock), field(table.runnerOfBlock)
        self.device = field(table.deviceOfBlock)
        block = field(table.blockOfBlock)
        self.kernel = text_at(field(table.kernelOfBlock))
        launch, self.warps = words(block + table.launch, 1)[0], words(block + table.warps, 1)[0]
        self.index = numbers(block + table.blockIdx, 3)
        self.current = numbers(block + table.currentWarp, 1)[0]
        self.grid, self.dim = numbers(launch + table.gridDim, 3), numbers(launch + table.blockDim, 3)
        self.launch_id = words(launch + table.launchId, 1)[0]

    def same(self, other):
        return other is not None and (self.launch_id, self.index) == (other.launch_id, other.index)

    def thread_state(self, thread):
        """The address of its frame, what it waits for, whether it has begun."""
        at = self.warps + thread * self.table.warpStateBytes
        return (words(at + self.table.frame, 1)[0], numbers(at + self.table.wait, 1)[0],
                numbers(at + self.table.polls, 1)[0] > 0)

    def is_running(self, thread):
        return self.runner != 0 and thread == self.current and self.thread_state(thread)[0] != 0


def text_at(address):
    text = b""
    while address and b"\0" not in text and len(text) < 4096:
        text += read(address + len(text), 1)
    return text.rstrip(b"\0").decode(errors="replace")


class FrameId:
    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


class Unwinder:
    """Says that the frame where the thread of the system stopped was called by a thread that waits."""
    name = "heddle"
    enabled = True

    def __init__(self):
        self.target = None  # (the system's thread, its stack pointer, its program counter, the stack that waits)

    def __call__(self, pending):
        if not self.target or not gdb.selected_thread() or gdb.selected_thread().ptid != self.target[0]:
            return None
        architecture = pending.architecture().name()
        stack, counter = (pending.read_register(name) for name in STACK[architecture])
        if (int(stack), int(counter)) != self.target[1:3]:
            return None
        saved, size = SAVED[architecture]
        at = self.target[3]
        # On the other stack, so that gdb sees it grow downwards.
        info = pending.create_unwind_info(FrameId(gdb.Value(at - 16).cast(stack.type), counter))
        for name, value in zip(saved, words(at, len(saved))):
            info.add_saved_register(name, gdb.Value(value).cast(pending.read_register(name).type))
        if architecture == "aarch64":
            info.add_saved_register("pc", gdb.Value(words(at + 88, 1)[0]).cast(counter.type))
        info.add_saved_register(STACK[architecture][0], gdb.Value(at + size).cast(stack.type))
        return info


class HideOther:
    """Leaves the frames of the thread that stopped out of a backtrace of another one."""

    def __init__(self, heddle):
        self.name = "heddle"
        self.priority = 100
        self.enabled = True
        self.heddle = heddle
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        if not self.heddle.unwinder.target:
            return frames
        first = self.heddle.first_frame()
        level = first.level() if first else 0
        return (frame for frame in frames if frame.inferior_frame().level() >= level)


class Heddle:
    def __init__(self):
        self.unwinder = Unwinder()
        gdb.unwinder.register_unwinder(None, self.unwinder, replace=True)
        HideOther(self)
        self.waiting = None  # (block, thread) that is looked at and does not run
        self.kernels = {}    # numbers by launches
        self.said = None     # the thread that the user was told of last
        self.offsets = {}    # of the return address to the kernel on a stack, by what is on its top
        for name in ("breakpoint_created", "breakpoint_modified"):
            getattr(gdb.events, name).connect(self.on_breakpoint)
        gdb.events.breakpoint_deleted.connect(self.on_deleted)
        gdb.events.stop.connect(self.on_stop)
        gdb.events.cont.connect(self.on_continue)
        gdb.events.exited.connect(self.on_exit)

    # Breakpoints.
    def on_breakpoint(self, _):
        self.write_breakpoints(None)

    def on_deleted(self, breakpoint):
        self.write_breakpoints(breakpoint)

    def write_breakpoints(self, deleted):
        addresses = set()
        for breakpoint in gdb.breakpoints():
            if breakpoint is deleted or not breakpoint.is_valid() or not breakpoint.enabled or \
                    breakpoint.type != gdb.BP_BREAKPOINT:
                continue
            addresses |= {place.address for place in breakpoint.locations if place.enabled and place.address}
        try:
            table = Table.find()
            if table:
                table.write_breakpoints(sorted(addresses))
        except gdb.error:
            pass  # the process is about to go, or not yet there

    # Stops.
    def on_stop(self, _):
        self.forget()
        try:
            block, thread = self.running()
            if block and self.said != (block.launch_id, block.index, thread):
                self.say(block, thread)
        except gdb.error:
            pass

    def on_continue(self, _):
        self.forget()

    def on_exit(self, _):
        self.forget()
        self.kernels.clear()
        self.offsets.clear()
        self.said = None

    def forget(self):
        """Shows the thread that stopped again."""
        self.waiting = None
        if self.unwinder.target:
            self.unwinder.target = None
            gdb.invalidate_cached_frames()

    def running(self):
        """The block and thread that the selected thread of the system runs."""
        table, selected = Table.find(), gdb.selected_thread()
        if table and selected:
            for block in table.blocks():
                if block.runner == selected.ptid[1]:
                    return block, block.current
        return None, None

    # What is looked at.
    def focus(self):
        if not self.waiting:
            return self.running()
        for block in Table.find().blocks():
            if block.same(self.waiting[0]):
                return block, self.waiting[1]
        return None, None

    def number_of(self, block):
        return self.kernels.setdefault(block.launch_id, len(self.kernels))

    def device_of(self, block):
        return next((i for i, device in enumerate(block.table.device_list()) if device[0] == block.device), 0)

    def values(self, block, thread):
        return {"kernel": self.number_of(block), "grid": block.launch_id, "block": show(block.index),
                "thread": show(coordinates(thread, block.dim)), "device": self.device_of(block), "sm": 0,
                "warp": thread // WARP, "lane": thread % WARP}

    def describe(self, block, thread, names=("kernel", "grid", "block", "thread", "device", "sm", "warp", "lane")):
        values = self.values(block, thread)
        return ", ".join(f"{name} {values[name]}" for name in names)

    def say(self, block, thread):
        self.said = block.launch_id, block.index, thread
        print("[Switching focus to CUDA " + self.describe(block, thread) + "]")

    def first_frame(self):
        """The innermost frame of the thread that waits, past the runtime's."""
        stack = STACK[gdb.newest_frame().architecture().name()][0]
        frame, own = gdb.newest_frame(), self.unwinder.target[1]
        while frame and int(frame.read_register(stack)) == own:
            frame = frame.older()
        while frame and re.search("libheddle_driver|libcudart", gdb.solib_name(frame.pc()) or "libcudart"):
            frame = frame.older()
        return frame

    def look_at(self, block, thread):
        if block.is_running(thread):
            self.forget()
            for one in gdb.selected_inferior().threads():
                if one.ptid[1] == block.runner:
                    one.switch()
            gdb.newest_frame().select()
            return
        where = block.thread_state(thread)[0]
        self.unwinder.target = None
        gdb.invalidate_cached_frames()
        newest = gdb.newest_frame()
        stack, counter = STACK[newest.architecture().name()]
        self.unwinder.target = (gdb.selected_thread().ptid, int(newest.read_register(stack)),
                                int(newest.read_register(counter)), words(where, 1)[0])
        self.waiting = (block, thread)
        gdb.invalidate_cached_frames()
        frame = self.first_frame()
        if frame:
            frame.select()

    def switch(self, block, thread):
        where, _, begun = block.thread_state(thread)
        if not where:
            raise gdb.GdbError("Thread {} of block {} has {}. CUDA focus unchanged.".format(
                show(coordinates(thread, block.dim)), show(block.index), "ended" if begun else "not begun"))
        self.look_at(block, thread)
        self.say(block, thread)
        gdb.execute("frame")

    def place(self, block, thread):
        """The program counter and line of a thread in the user's code."""
        where, wait, _ = block.thread_state(thread)
        if block.is_running(thread):
            for one in gdb.selected_inferior().threads():
                if one.ptid[1] == block.runner:
                    before = gdb.selected_thread()
                    one.switch()
                    pc = gdb.newest_frame().pc()
                    before.switch()
                    return pc, gdb.find_pc_line(pc)
        top = words(where, 1)[0]
        key = words(top + 48, 1)[0]
        if key not in self.offsets:
            before, frame = (self.waiting, self.unwinder.target), gdb.selected_frame().level()
            self.look_at(block, thread)
            pc = self.first_frame().pc()
            self.waiting, self.unwinder.target = before
            gdb.invalidate_cached_frames()
            self.select_level(frame)
            stack = words(top, 64)
            self.offsets[key] = 8 * stack.index(pc) if pc in stack else None
        offset = self.offsets[key]
        if offset is None:
            return 0, None
        pc = words(top + offset, 1)[0]
        return pc, gdb.find_pc_line(pc if wait == STATEMENT else pc - 1)

    @staticmethod
    def select_level(level):
        frame = gdb.newest_frame()
        while frame and frame.level() < level:
            frame = frame.older()
        if frame:
            frame.select()


class Cuda(gdb.Command):
    """Show or choose the thread of a kernel that is looked at.
cuda thread 5, cuda thread (5,0,0), cuda block 3 thread 1, cuda kernel 0, cuda warp 1 lane 2, cuda device, ...
Without a number the present one is shown."""

    NAMES = "kernel grid device sm block warp lane thread".split()

    def __init__(self, heddle):
        super().__init__("cuda", gdb.COMMAND_RUNNING)
        self.heddle = heddle

    def complete(self, _, word):
        return [name for name in self.NAMES if name.startswith(word)]

    def invoke(self, arguments, _):
        wanted, shown = self.parse(arguments)
        block, thread = self.heddle.focus()
        if not wanted:
            if block is None:
                raise gdb.GdbError("Focus not set on any active CUDA kernel.")
            print(self.heddle.describe(block, thread, shown or ("kernel", "grid", "block", "thread", "device", "sm",
                                                               "warp", "lane")))
            return
        self.heddle.switch(*self.find(wanted, block, thread))

    def parse(self, arguments):
        wanted, shown = {}, []
        rest = arguments.strip()
        while rest:
            match = re.match(r"([a-z]+)\s*(\(\s*\d+\s*(?:,\s*\d+\s*){0,2}\)|\d+(?:\s*,\s*\d+){0,2})?[\s,]*", rest)
            if not match or match.group(1) not in self.NAMES:
                raise gdb.GdbError("Unrecognized argument(s) of cuda: " + rest)
            if match.group(2):
                wanted[match.group(1)] = tuple(int(n) for n in re.findall(r"\d+", match.group(2)))
            else:
                shown.append(match.group(1))
            rest = rest[match.end():]
        return wanted, shown

    def find(self, wanted, block, thread):
        table = Table.find()
        blocks = table.blocks() if table else []
        if not blocks:
            raise gdb.GdbError("No CUDA kernel is running.")
        invalid = gdb.GdbError("Invalid coordinates. CUDA focus unchanged.")
        launch, moved = block.launch_id if block else blocks[0].launch_id, block is None
        for name, value in wanted.items():
            if name == "kernel":
                for one in blocks:
                    self.heddle.number_of(one)
                found = [one for one in blocks if self.heddle.number_of(one) == value[0]]
            elif name == "grid":
                found = [one for one in blocks if one.launch_id == value[0]]
            elif name == "device":
                found = [one for one in blocks if self.heddle.device_of(one) == value[0]]
            elif name == "sm":
                found = blocks if value[0] == 0 else []
            else:
                continue
            if not found:
                raise invalid
            if launch not in {one.launch_id for one in found}:
                launch, moved = found[0].launch_id, True
        blocks = [one for one in blocks if one.launch_id == launch]
        if "block" in wanted:
            index = (wanted["block"] + (0, 0))[:3]
            if any(i >= n for i, n in zip(index, blocks[0].grid)):
                raise invalid
            found = [one for one in blocks if one.index == index]
            if not found:
                raise gdb.GdbError(f"Block {show(index)} has ended or not begun. CUDA focus unchanged.")
            moved |= not found[0].same(block)
            block = found[0]
        elif moved:
            block = blocks[0]
        return block, self.thread(wanted, block, 0 if moved else thread, moved, invalid)

    @staticmethod
    def thread(wanted, block, thread, moved, invalid):
        if "thread" in wanted:
            index = (wanted["thread"] + (0, 0))[:3]
            if any(i >= n for i, n in zip(index, block.dim)):
                raise invalid
            return linear(index, block.dim)
        if "warp" in wanted or "lane" in wanted:
            warp = wanted.get("warp", (thread // WARP,))[0]
            lane = wanted.get("lane", (thread % WARP if "warp" not in wanted else 0,))[0]
            if lane >= WARP or warp * WARP + lane >= block.threads:
                raise invalid
            return warp * WARP + lane
        if moved:  # the first that can be looked at
            thread = next((i for i in range(block.threads) if block.thread_state(i)[0]), 0)
        return thread


class FirstOfWarp(gdb.Function):
    """$_first_of_warp(N, CONDITION): whether the condition holds and no other thread of the warp has stopped at breakpoint N
in the turn that this one begins. Its second half is true in host code."""

    def __init__(self, heddle):
        super().__init__("_first_of_warp")
        self.heddle = heddle
        self.passed = {}  # threads of this turn by breakpoint and warp
        gdb.events.exited.connect(lambda _: self.passed.clear())

    def invoke(self, number, condition):
        block, thread = self.heddle.running() if condition else (None, None)
        if not block:
            return bool(condition)
        passed = self.passed.setdefault((int(number), block.launch_id, block.index, thread // WARP), set())
        isFirst = not passed or thread in passed
        if isFirst:
            passed.clear()
        passed.add(thread)
        return isFirst


class Break(gdb.Command):
    """Set a breakpoint: break LOCATION [thread N] [if CONDITION].
In a kernel it stops once for each warp, at the first thread for which the condition holds.
The lines of a kernel have no code until it is launched. gdb alone would stop at the host's next line in place of them, and
refuse a condition on threadIdx there."""

    def __init__(self):
        super().__init__("break", gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_LOCATION)

    def invoke(self, arguments, _):
        match = re.fullmatch(r"(?:-force-condition\s+)?(.*?)\s*(?:\bthread\s+(\d+)\s*)?(?:\bif\b\s*(.+))?", arguments.strip(), re.S)
        place, thread, condition = match.groups()
        made = gdb.Breakpoint(place or f"*{gdb.selected_frame().pc()}")
        if thread:
            made.thread = int(thread)
        # Where a condition is not valid, gdb does not stop. "And" is spelt in one way in C and in another in Fortran.
        gdb.execute(f"condition -force {made.number} $_first_of_warp({made.number}, {condition or 1})", to_string=True)
        self.leave_other_functions(made, place)

    @staticmethod
    def leave_other_functions(made, place):
        """Does not stop in a function that begins only behind the line."""
        line = re.fullmatch(r"(?:.*:)?(\d+)", place)
        for location in made.locations if line else []:
            block = gdb.block_for_pc(location.address)
            while block and not block.function:
                block = block.superblock
            if block and block.function.line > int(line.group(1)):
                location.enabled = False


class InfoCuda(gdb.Command):
    """List what there is of CUDA: info cuda devices, kernels, blocks or threads.
Threads are those of the kernel that is looked at which can be chosen."""

    KINDS = "devices kernels blocks threads".split()

    def __init__(self, heddle):
        super().__init__("info cuda", gdb.COMMAND_STATUS)
        self.heddle = heddle

    def complete(self, _, word):
        return [kind for kind in self.KINDS if kind.startswith(word)]

    def invoke(self, arguments, _):
        kind = arguments.strip()
        if kind not in self.KINDS:
            raise gdb.GdbError("info cuda takes one of: " + ", ".join(self.KINDS))
        table = Table.find()
        rows = getattr(self, kind)(table) if table else None
        if not rows or len(rows) == 1:
            print(f"No CUDA {kind}.")
            return
        widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
        for row in rows:
            print(" ".join(str(cell).rjust(width) for cell, width in zip(row, widths)).rstrip())

    def devices(self, table):
        block, _ = self.heddle.focus()
        rows = [("", "Dev", "Name", "SM Type", "SMs", "Lanes/Warp")]
        for i, (device, name, sms, major, minor) in enumerate(table.device_list()):
            rows.append(("*" if block and block.device == device else "", i, text_at(name), f"sm_{major}{minor}", sms, WARP))
        return rows

    def kernels(self, table):
        block, _ = self.heddle.focus()
        rows, seen = [("", "Kernel", "Dev", "Grid", "Status", "GridDim", "BlockDim", "Invocation")], set()
        for one in table.blocks():
            if one.launch_id in seen:
                continue
            seen.add(one.launch_id)
            rows.append(("*" if block and block.launch_id == one.launch_id else "", self.heddle.number_of(one),
                         self.heddle.device_of(one), one.launch_id, "Active", show(one.grid), show(one.dim), one.kernel))
        return rows

    def of_kernel(self, table):
        block, thread = self.heddle.focus()
        blocks = table.blocks()
        launch = block.launch_id if block else blocks[0].launch_id if blocks else None
        return block, thread, [one for one in blocks if one.launch_id == launch]

    def blocks(self, table):
        block, _, blocks = self.of_kernel(table)
        rows = [("", "BlockIdx", "To BlockIdx", "Count", "State")]
        runs = []  # of neighbours
        for one in blocks:
            at, here = linear(one.index, one.grid), one.same(block)
            if runs and runs[-1][1] == at - 1 and not here and not runs[-1][3]:
                runs[-1][1:3] = [at, one]
            else:
                runs.append([at, at, one, here, one])
        for first, last, end, here, begin in runs:
            rows.append(("*" if here else "", show(begin.index), show(end.index), last - first + 1, "running"))
        return rows

    def threads(self, table):
        block, thread, blocks = self.of_kernel(table)
        rows = [("", "BlockIdx", "ThreadIdx", "To BlockIdx", "ThreadIdx", "Count", "PC", "Filename", "Line", "State")]
        runs = []
        for one in blocks:
            for i in range(one.threads):
                where, wait, _ = one.thread_state(i)
                if not where:
                    continue
                pc, line = self.heddle.place(one, i)
                here = one.same(block) and i == thread
                state = "runs" if one.is_running(i) else STATES[wait]
                key = (pc, state)
                last = runs[-1] if runs else None
                follows = last and last["key"] == key and not here and not last["here"] and \
                    (last["end"] == (one.index, i - 1) or (i == 0 and last["end"][1] == one.threads - 1))
                if follows:
                    last["end"] = (one.index, i)
                    last["count"] += 1
                else:
                    symtab = line.symtab if line else None
                    runs.append({"key": key, "here": here, "begin": (one.index, i), "end": (one.index, i), "count": 1,
                                 "dim": one.dim, "file": symtab.filename.split("/")[-1] if symtab else "?",
                                 "line": line.line if symtab else 0})
        for run in runs:
            begin, end, dim = run["begin"], run["end"], run["dim"]
            rows.append(("*" if run["here"] else "", show(begin[0]), show(coordinates(begin[1], dim)), show(end[0]),
                         show(coordinates(end[1], dim)), run["count"], hex(run["key"][0]), run["file"], run["line"],
                         run["key"][1]))
        return rows


if not hasattr(gdb, "heddle"):
    import gdb.unwinder
    gdb.heddle = Heddle()
    Cuda(gdb.heddle)
    InfoCuda(gdb.heddle)
    FirstOfWarp(gdb.heddle)
    Break()
    # Commands by which the program goes on concern the thread that stopped.
    for command in "step next stepi nexti finish until advance continue jump return".split():
        gdb.execute(f"define hook-{command}\npython gdb.heddle.forget()\nend")
