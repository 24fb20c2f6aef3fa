#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes Fortran interfaces of a library's C header, for the modules in lib/fortran/modules.

    fortran_interfaces.py MODULE.rules HEADER.i FOLDER

HEADER.i is the preprocessed header. FOLDER/MODULE.inc gets the enumerators, the types of handles and the interfaces of the
functions. FOLDER/MODULE_generics.inc has the generics of `rename`, for a module that uses this one. Each function is a
generic too, so that programs may extend it. 64-bit integers by value take other kinds, since literals have the default one:
Flang converts what `ignore_tkr (k)` lets through.

A line of the rules is a key and words; # begins a comment:

    functions REGEX         the functions that get an interface
    enumerators REGEX       the enumerators that become named constants
    without NAME...         functions and enumerators to leave out: written by hand, or of no use in Fortran
    returns REGEX           the C type of the results of such functions
    rename REGEX NEW        (% is nothing) in the file of generics each function has the name with NEW in place of what REGEX finds
    specific PREFIX NEW     the Fortran name of a function is NEW in place of PREFIX; its C name stays
    either REGEX            parameters that may be in host or device memory
    host REGEX              parameters in host memory
    optional REGEX          parameters that may be absent, which C sees as a null pointer
    hostpointers REGEX      function:parameter pairs that are type(c_ptr)
    addresses REGEX         function:parameter pairs that are type(c_devptr) by value, not the data itself
    enumtype ENUM NAME      the enumeration's values are of the derived type NAME, with the component `member`
    alias HANDLE OTHER      handles of one type are of the other one
    parameter REGEX OLD NEW of such functions, the parameter OLD is called NEW
    record STRUCT           a structure that the module defines, whose name may lack C's _t
    tagged ENUM NAME        parameters of the enumeration may be of the derived type NAME too
    blas PREFIX             of a function PREFIXname(...) of the first BLAS interface, make a generic `name`, which is the
                            device's or the host library's by its arguments
A pointer to numbers is an array in device memory if no rule says otherwise.
"""
import os
import re
import sys

NUMBERS = {
    "int": "integer(c_int)", "unsigned": "integer(c_int)", "unsigned int": "integer(c_int)", "int32_t": "integer(c_int)",
    "uint32_t": "integer(c_int)", "char": "character(c_char)", "long long": "integer(8)", "long long int": "integer(8)",
    "unsigned long long": "integer(8)", "int64_t": "integer(8)", "uint64_t": "integer(8)", "size_t": "integer(8)",
    "float": "real(4)", "double": "real(8)", "cuComplex": "complex(4)", "cuDoubleComplex": "complex(8)",
    "__half": "real(2)", "cudaStream_t": "integer(cuda_stream_kind)", "cudaEvent_t": "type(cudaEvent)",
    "cudaTextureObject_t": "integer(8)", "cudaSurfaceObject_t": "integer(8)",
    "cufftHandle": "integer(c_int)", "cufftReal": "real(4)", "cufftComplex": "complex(4)", "cufftDoubleReal": "real(8)",
    "cufftDoubleComplex": "complex(8)", "cusolver_int_t": "integer(c_int)", "signed char": "integer(c_int8_t)"}
ANYTHING = "type(*)"
BY_REFERENCE = re.compile(r"\*|\[\d*\]")
WIDTH = 100


class Rules:
    def __init__(self, path):
        self.values, self.without = {}, set()
        self.enumTypes, self.tagged, self.recordNames = {}, {}, set()
        self.handleAliases, self.parameterNames = {}, []
        for line in open(path):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "without":
                self.without.update(words[1:])
            elif words[0] == "enumtype":
                self.enumTypes[words[1]] = words[2]
            elif words[0] == "tagged":
                self.tagged[words[1]] = words[2]
            elif words[0] == "alias":
                self.handleAliases[words[1]] = words[2]
            elif words[0] == "parameter":
                self.parameterNames.append(words[1:])
            elif words[0] == "record":
                self.recordNames.update(words[1:])
            else:
                self.values[words[0]] = words[1:]

    def matches(self, key, text):
        return key in self.values and re.fullmatch(self.values[key][0], text) is not None

    def word(self, key, at=0):
        return self.values[key][at] if key in self.values else None


class Parameter:
    """A C parameter. `base` is its type without const and pointers, `depth` counts the pointers."""

    def __init__(self, text):
        text = re.sub(r"\bconst\b|\bstruct\b|\benum\b", " ", text)
        match = re.fullmatch(r"(.*?[\s*])(\w+)\s*((?:\[\w*\])*)\s*", text.strip(), re.S)
        if not match:
            raise ValueError(text)
        head, self.name, tail = match.groups()
        self.depth = head.count("*") + tail.count("[")
        self.base = " ".join(head.replace("*", " ").split())
        self.isFunction = False


class Header:
    def __init__(self, text):
        text = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", text)
        self.enumerators, self.enumOf, self.enums, self.handles = {}, {}, set(), set()
        for body, name in re.findall(r"enum\s*\w*\s*\{([^}]*)\}\s*(\w*)", text):
            self.readEnumeration(body, name)
        self.enums.update(re.findall(r"enum\s+(\w+)\s*[{;]", text))
        self.enums.update(re.findall(r"enum\s*\w*\s*(?:\{[^}]*\})?\s*(\w+)\s*;", text))
        self.handles.update(re.findall(r"typedef\s+(?:const\s+)?struct\s+\w+\s*(?:const\s*)?\*\s*(\w+)\s*;", text))
        self.aliases = dict((new, old) for old, new in re.findall(r"typedef\s+(\w+)\s+(\w+)\s*;", text))
        self.callbacks = set(re.findall(r"typedef\s+void\s*\(\s*\*\s*(\w+)\s*\)", text))
        self.prototypes = re.findall(r"(?:^|[;}])\s*(?:extern\s+)?((?:const\s+)?\w+(?:\s*\*+)?)\s+\**(\w+)\s*\(([^();{}]*)\)\s*(?=;)",
                                     text)

    def readEnumeration(self, body, enum):
        value = -1
        for item in filter(None, (part.strip() for part in body.split(","))):
            name, _, expression = (part.strip() for part in item.partition("="))
            expression = re.sub(r"sizeof\(\w+\)", "4", re.sub(r"(?<=[\da-fA-F])[uUlL]+\b", "", expression))
            value = eval(expression, {"__builtins__": {}}, dict(self.enumerators)) if expression else value + 1
            self.enumerators[name], self.enumOf[name] = value, enum

    def resolve(self, base):
        while base in self.aliases and base not in self.enums and base not in NUMBERS and base not in self.handles:
            base = self.aliases[base]
        return base


def wrapped(text, indent):
    """Lines of at most WIDTH characters, continued as free form has it."""
    lines, line = [], " " * indent
    for word in re.findall(r"[^,(]*[,(]?\s*", text):
        if len(line) + len(word) > WIDTH - 2:
            lines.append(line.rstrip() + " &")
            line = " " * (indent + 4)
        line += word
    return "\n".join(lines + [line.rstrip()]) + "\n"


class Writer:
    def __init__(self, rules, header):
        self.rules, self.header = rules, header
        self.types, self.generics, self.renamed = {}, {}, {}
        self.interfaces = []

    def handleType(self, base):
        name = re.sub(r"_t$", "", self.rules.handleAliases.get(base, base))
        if name not in self.rules.recordNames:
            self.types[name] = name
        return f"type({name})"

    def typeOf(self, parameter):
        """The Fortran type of what a parameter is or points to."""
        if parameter.base in self.rules.enumTypes:
            return f"type({self.rules.enumTypes[parameter.base]})"
        base = self.header.resolve(parameter.base)
        if base == "void":
            return ANYTHING
        if base in NUMBERS:
            return NUMBERS[base]
        if base in self.header.enums:
            return "integer(c_int)"
        if base in self.header.handles:
            return self.handleType(base)
        record = base if base in self.rules.recordNames else re.sub(r"_t$", "", base)
        return f"type({record})" if record in self.rules.recordNames else None

    def declare(self, function, parameter, tagged=False):
        """The declarations of a dummy argument, or None if Fortran has no such thing."""
        name = parameter.name
        if self.header.resolve(parameter.base) in self.header.callbacks:
            return [f"type(c_funptr), value :: {name}"] if parameter.depth == 0 else [f"type(c_funptr) :: {name}"]
        kind = self.typeOf(parameter)
        if kind is None:
            return None
        if tagged and parameter.base in self.rules.tagged:
            kind = f"type({self.rules.tagged[parameter.base]})"
        if parameter.depth == 0:
            anyKind = [f"!dir$ ignore_tkr (k) {name}"] if kind in ("integer(8)", "integer(cuda_stream_kind)") else []
            return [f"{kind}, value :: {name}"] + anyKind
        pair = f"{function}:{name}"
        if self.rules.matches("hostpointers", pair):
            return [f"type(c_ptr) :: {name}" if parameter.depth > 1 else f"type(c_ptr), value :: {name}"]
        if self.rules.matches("addresses", pair):
            return [f"type(c_devptr), value :: {name}"]
        if parameter.depth > 1:
            return self.declarePointers(kind, parameter)
        optional = ", optional" if self.rules.matches("optional", name) else ""
        if kind == ANYTHING and self.rules.matches("either", name):  # a scalar, which may be polymorphic
            return [f"type(*){optional} :: {name}", f"!dir$ ignore_tkr (tkrdm) {name}"]
        if kind == ANYTHING:
            return [f"type(*), dimension(*){optional} :: {name}", f"!dir$ ignore_tkr (tkrdm) {name}"]
        base = self.header.resolve(parameter.base)
        isNumber = base in NUMBERS and not base.startswith("cuda")
        if kind.startswith("character"):
            return [f"{kind}{optional} :: {name}(*)"]
        if not isNumber or self.rules.matches("host", name):
            return [f"{kind}{optional} :: {name}(*)", f"!dir$ ignore_tkr (r) {name}"]
        if self.rules.matches("either", name):
            return [f"{kind}{optional} :: {name}(*)", f"!dir$ ignore_tkr (rdm) {name}"]
        return [f"{kind}, device{optional} :: {name}(*)", f"!dir$ ignore_tkr (r) {name}"]

    def declarePointers(self, kind, parameter):
        """Arrays of device pointers lie in device memory; a pointer to be set lies on the host."""
        if kind == ANYTHING:
            return [f"type(c_devptr) :: {parameter.name}"]
        if self.rules.matches("host", parameter.name):
            return [f"type(c_devptr) :: {parameter.name}(*)", f"!dir$ ignore_tkr (r) {parameter.name}"]
        return [f"type(c_devptr), device :: {parameter.name}(*)", f"!dir$ ignore_tkr (r) {parameter.name}"]

    def result(self, text):
        if text.strip() in self.rules.enumTypes:
            return f"type({self.rules.enumTypes[text.strip()]}) function"
        base = self.header.resolve(text.strip())
        if base == "void":
            return "subroutine"
        if base in self.header.enums:
            return "integer(c_int) function"
        return NUMBERS[base] + " function" if base in NUMBERS else None

    def add(self, result, cName, text):
        """An interface of one function. False if it has no form in Fortran."""
        kind = self.result(result)
        parts = [] if text.strip() in ("", "void") else text.split(",")
        parameters = [Parameter(part) for part in parts]
        if kind is None or None in [self.declare(cName, p) for p in parameters]:
            return False
        for pattern, old, new in self.rules.parameterNames:
            for parameter in parameters:
                if parameter.name == old and re.fullmatch(pattern, cName):
                    parameter.name = new
        self.unify(parameters)
        name = self.fortranName(cName)
        declarations = [self.declare(cName, p) for p in parameters]
        self.interfaces.append(self.interface(kind, name, parameters, declarations, f" bind(c, name='{cName}')"))
        members = [name]
        if any(p.depth == 0 and p.base in self.rules.tagged for p in parameters):
            members.append(name + "_tagged")
            declarations = [self.declare(cName, p, tagged=True) for p in parameters]
            self.interfaces.append(self.interface(kind, members[1], parameters, declarations, f" bind(c, name='{cName}')"))
        self.addGenerics(kind, cName, members, parameters)
        return True

    @staticmethod
    def unify(parameters):
        """Fortran's names know no case: a second `c` beside a `C` gets another name."""
        seen = set()
        for parameter in parameters:
            while parameter.name.lower() in seen or parameter.name.startswith("_"):
                parameter.name = parameter.name.strip("_") + "2"
            seen.add(parameter.name.lower())

    def fortranName(self, cName):
        prefix = self.rules.word("specific")
        if prefix and cName.startswith(prefix):
            return self.rules.word("specific", 1) + cName[len(prefix):]
        return cName

    @staticmethod
    def interface(kind, name, parameters, declarations, binding):
        arguments = ", ".join(p.name for p in parameters)
        text = wrapped(f"{kind} {name}({arguments}){binding}", 4) + "      import\n"
        for lines in declarations:
            for line in lines:
                text += "      " + line + "\n"
        return text + f"    end {kind.split()[-1]}\n"

    def addGenerics(self, kind, cName, members, parameters):
        name, blas = members[0], self.rules.word("blas")
        self.generics[name] = members
        if "rename" in self.rules.values:
            new = re.sub(self.rules.word("rename"), self.rules.word("rename", 1).strip("%"), name)
            if new != name:
                self.renamed[new] = members
        if blas and cName.startswith(blas):
            self.addBlas(kind, cName[len(blas):].lower(), name, parameters)

    def addBlas(self, kind, blasName, name, parameters):
        """The host library's function of the same arguments, all of them by reference."""
        if all(self.rules.matches("host", p.name) for p in parameters):
            self.generics[blasName] = [name]
            return
        declarations = []
        for p in parameters:
            base = self.typeOf(p).replace("c_char", "1")
            if p.depth:
                declarations.append([f"{base} :: {p.name}(*)", f"!dir$ ignore_tkr (r) {p.name}"])
            else:
                declarations.append([f"{base} :: {p.name}"])
        self.interfaces.append(self.interface(kind, blasName, parameters, declarations, ""))
        self.generics[blasName] = [name, blasName]

    def constant(self, name, value):
        kind = self.rules.enumTypes.get(self.header.enumOf[name])
        return f"type({kind}), parameter :: {name} = {kind}({value})\n" if kind else f"integer, parameter :: {name} = {value}\n"

    def write(self):
        out = ""
        for name, value in self.header.enumerators.items():
            if self.rules.matches("enumerators", name) and name not in self.rules.without:
                out += "  " + self.constant(name, value)
        for name in sorted(self.types):
            if name not in self.rules.without:
                out += f"  type, bind(c) :: {name}\n    integer(8) :: handle = 0\n  end type\n"
        # A generic may have the name of one of its specifics, which then must be known before it.
        if self.interfaces:
            out += "  interface\n" + "".join(self.interfaces) + "  end interface\n"
        return out + self.genericInterfaces(self.generics)

    @staticmethod
    def genericInterfaces(generics):
        out = ""
        for name, members in generics.items():
            out += f"  interface {name}\n" + "".join(f"    procedure :: {m}\n" for m in members) + "  end interface\n"
        return out


def main():
    rulesPath, headerPath, folder = sys.argv[1:]
    rules, header = Rules(rulesPath), Header(open(headerPath).read())
    writer, refused, seen = Writer(rules, header), [], set()
    for result, name, text in header.prototypes:
        wanted = rules.matches("functions", name) and ("returns" not in rules.values or rules.matches("returns", result))
        if wanted and name not in rules.without and name not in seen:
            seen.add(name)
            if not writer.add(result, name, text):
                refused.append(name)
    if refused or (not seen and "functions" in rules.values):
        sys.exit(f"{rulesPath}: no Fortran form, and not left out by `without`: {' '.join(refused) or 'everything'}")
    module = os.path.join(folder, os.path.basename(rulesPath).removesuffix(".rules"))
    for suffix, text in (("", writer.write()), ("_generics", writer.genericInterfaces(writer.renamed))):
        with open(module + suffix + ".inc", "w") as out:
            out.write(text)


if __name__ == "__main__":
    main()
