#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what Heddle has for MPI of Open MPI's installed headers: most of the Fortran modules mpi and mpi_f08, and the functions
that look at buffers before MPI gets them (lib/mpi).

    mpi_interfaces.py INCLUDE FOLDER

INCLUDE has mpi.h and mpif-*.h. FOLDER gets mpi.inc, mpi_f08.inc and mpi_f08_compare.inc, which the modules in lib/mpi include,
and buffers.inc, which lib/mpi/buffers.cpp includes. An interface in Fortran follows from the prototype in C: both modules call the functions of
mpif.h, whose arguments are addresses; a handle of mpi_f08 is a structure of one integer, so its address is the integer's.
"""
import os
import re
import sys

HANDLES = "Comm Datatype Errhandler File Group Info Message Op Request Win".split()
KINDS = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Offset": "MPI_OFFSET_KIND", "MPI_Count": "MPI_COUNT_KIND"}
LOGICAL = {"flag", "reorder", "periods", "remain_dims", "high", "commute", "weighted"}
# Addresses that Fortran has as integers.
STATES = {"extra_state", "attribute_val"}
RESULT = "baseptr"  # an integer or type(c_ptr)
# Written by hand in lib/mpi, of no use in Fortran, or gone from MPI 3.0.
WITHOUT = re.compile(r"MPI_(T_\w+|\w+_[cf]2[cf](08)?|Init|Init_thread|Wtime|Wtick|Aint_add|Aint_diff|Comm_spawn\w*|Pcontrol|Address|"
                     r"Errhandler_(create|[gs]et)|"
                     r"Type_(extent|hindexed|hvector|lb|struct|ub)|Attr_\w+|Keyval_\w+|Status_[cf]\w*2\w+|Finalized_\w+)")
# Requests and windows that remember a buffer.
PERSISTENT = re.compile(r"MPI_\w+_init|MPI_Win_create|MPI_Win_attach")
# They take up what was remembered.
STARTS = re.compile(r"MPI_(Start|Startall|Win_(fence|post|start|complete|wait|lock|lock_all|unlock|unlock_all|flush\w*|sync))")


class Parameter:
    def __init__(self, text):
        match = re.fullmatch(r"(const\s+)?([\w\s]+?)\s*(\**)\s*(?:const\s+)?(\w+)\s*((?:\[\w*\])*)", text)
        if not match:
            raise ValueError(text)
        self.const, self.type = bool(match.group(1)), match.group(2).strip()
        self.stars, self.name, self.array = len(match.group(3)), match.group(4), match.group(5)
        if self.stars == 1 and self.name.startswith("array_of_"):
            self.stars, self.array = 0, "[]"
        self.isBuffer = self.type == "void" and self.stars == 1 and self.name not in STATES | {RESULT}

    def handle(self):
        return self.type[4:] if self.type.startswith("MPI_") and self.type[4:] in HANDLES else None

    def fortran(self, isNew):
        """Its declaration; None if it has none."""
        size = "(3, *)" if self.array == "[][3]" else "(*)" if self.array else ""
        intent = ", intent(in)" if not self.stars and not self.array or self.const and self.type != "void" else ""
        if self.isBuffer:
            return f"integer :: {self.name}(*)\n!dir$ ignore_tkr(tkrdm) {self.name}"
        if self.type == "void":
            any = f"\n!dir$ ignore_tkr(tkr) {self.name}" if self.name == RESULT else ""
            return f"integer(MPI_ADDRESS_KIND) :: {self.name}" + any
        if self.type == "char":
            text = f"character(len=*){', intent(in)' if self.const else ''} :: {self.name}"
            return text if self.stars + bool(self.array) == 1 else None
        if self.type.endswith(("_function", "_fn")):
            return f"external :: {self.name}"
        if self.type == "MPI_Status":
            if isNew:
                return f"type(MPI_Status) :: {self.name}{size}"
            return f"integer :: {self.name}(MPI_STATUS_SIZE{', *' if size else ''})"
        if self.handle():
            return (f"type({self.type})" if isNew else "integer") + f"{intent} :: {self.name}{size}"
        if self.type in KINDS:
            return f"integer({KINDS[self.type]}){intent} :: {self.name}{size}"
        if self.type == "int":
            return ("logical" if self.name in LOGICAL else "integer") + f"{intent} :: {self.name}{size}"
        return None


class Function:
    def __init__(self, result, name, parameters):
        self.result, self.name = result, name
        self.text = " ".join(parameters.split())
        words = [] if self.text in ("void", "") else self.text.split(",")
        self.parameters = [Parameter(word.strip()) for word in words]

    def interface(self, isNew):
        names = [p.name for p in self.parameters] + ["ierror"]
        lines = [f"subroutine {self.name}(" + ", ".join(names) + ")", "import"]
        for parameter in self.parameters:
            text = parameter.fortran(isNew)
            if text is None:
                return None
            lines += text.split("\n")
        lines.append("integer" + (", optional" if isNew else "") + ", intent(out) :: ierror")
        return "\n".join(wrap(line) for line in lines) + "\nend subroutine\n"

    def buffers(self):
        return [p.name for p in self.parameters if p.isBuffer]

    def remembers(self):
        return "persistent" if PERSISTENT.fullmatch(self.name) else "plain"

    def in_c(self):
        names = ", ".join(p.name for p in self.parameters)
        waits = " ".join(f"{self.remembers()}({name});" for name in self.buffers()) or "started();"
        return f"int {self.name}({self.text}) {{ {waits} return P{self.name}({names}); }}\n"

    def in_fortran(self):
        lower = self.name.lower() + "_"
        arguments = [("void *", p.name) for p in self.parameters] + [("void *", "ierror")]
        arguments += [("size_t ", p.name + "_length") for p in self.parameters if p.type == "char"]
        declared = ", ".join(type + name for type, name in arguments)
        names = ", ".join(name for _, name in arguments)
        waits = " ".join(f"{self.remembers()}({name});" for name in self.buffers()) or "started();"
        return (f"OPTIONAL void p{lower}({declared});\n"
                f"OUTSIDE void {lower}({declared}) {{ {waits} p{lower}({names}); }}\n")


def wrap(text, width=110):
    """Free form lines may have 132 characters."""
    done = []
    for line in text.split("\n"):
        while len(line) > width and not line.startswith("!"):
            cut = line.rfind(",", 0, width) + 1
            done.append(line[:cut] + " &")
            line = "  " + line[cut:].lstrip()
        done.append(line)
    return "\n".join(done)


def functions(header):
    text = re.sub(r"/\*.*?\*/", "", open(header).read(), flags=re.S)
    text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.S | re.M)
    found = {}
    for match in re.finditer(r"OMPI_DECLSPEC\s+(int|double|MPI_Aint)\s+(MPI_\w+)\s*\(([^;]*?)\)\s*(__\w+\w*\s*\([^;]*)?;", text):
        name = match.group(2)
        if WITHOUT.fullmatch(name) or "(*" in match.group(3) or "..." in match.group(3):
            continue
        found.setdefault(name, Function(*match.groups()[:3]))
    return [found[name] for name in sorted(found)]


def handle_type(name):
    """Of a named constant of mpif-handles.h."""
    for handle in HANDLES:
        if name.startswith(f"MPI_{handle.upper()}_"):
            return handle
    if name.startswith("MPI_ERRORS_"):
        return "Errhandler"
    operations = "MAX MIN SUM PROD LAND BAND LOR BOR LXOR BXOR MAXLOC MINLOC REPLACE NO_OP".split()
    return "Op" if name[4:] in operations else "Datatype"


def handles(include):
    lines = []
    for file in ("mpif-handles.h", "mpif-io-handles.h"):
        for name, value in re.findall(r"parameter\s*\(\s*(MPI_\w+)\s*=\s*(-?\d+)\s*\)", open(os.path.join(include, file)).read()):
            handle = handle_type(name)
            lines.append(f"type(MPI_{handle}), parameter :: {name} = MPI_{handle}({value})")
    return "\n".join(lines) + "\n"


def comparisons():
    """== and /= of handles."""
    generics, functions = [], []
    for sign, word in (("==", "equal"), ("/=", "different")):
        names = ", ".join(f"{word}{handle}" for handle in HANDLES)
        generics.append(f"interface operator({sign})\nprocedure :: {names}\nend interface\n")
        for handle in HANDLES:
            functions.append(f"elemental logical function {word}{handle}(a, b)\ntype(MPI_{handle}), intent(in) :: a, b\n"
                             f"{word}{handle} = a%MPI_VAL {sign} b%MPI_VAL\nend function\n")
    return "\n".join(map(wrap, generics)), "".join(functions)


def main(include, folder):
    all = functions(os.path.join(include, "mpi.h"))
    for name, isNew in (("mpi", False), ("mpi_f08", True)):
        with open(os.path.join(folder, name + ".inc"), "w") as file:
            if isNew:
                file.write(handles(include) + comparisons()[0])
            file.write("interface\n")
            for function in all:
                file.write(function.interface(isNew) or "")
            file.write("end interface\n")
    with open(os.path.join(folder, "mpi_f08_compare.inc"), "w") as file:
        file.write(comparisons()[1])
    seen = [f for f in all if f.buffers() or STARTS.fullmatch(f.name)]
    with open(os.path.join(folder, "buffers.inc"), "w") as file:
        for function in seen:
            file.write(function.in_c())
            if function.interface(False):
                file.write(function.in_fortran())


if __name__ == "__main__":
    main(*sys.argv[1:])
