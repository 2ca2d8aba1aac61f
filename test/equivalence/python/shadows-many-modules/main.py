import argparse
import asyncio
import base64
import csv
import dataclasses
import logging
import pickle
import subprocess
import uuid

for module in (argparse, asyncio, base64, csv, dataclasses, logging, pickle, subprocess, uuid):
    print(module.__name__, getattr(module, "mark", "not own"))
