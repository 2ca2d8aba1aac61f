/**
 * Client programs that use only the HTTP library of their language. They read a list of calls
 * `{ url, kind, json, fields }` from their first argument, make them one after the other, and print a list of
 * `[status, body]`. They set only the headers that any other service would need too.
 */

const pythonFrame = (call: string) => `
import json, sys
${call}
print(json.dumps([call(each["url"], each["kind"], each) for each in json.loads(sys.argv[1])]))
`;

export const urllibProgram = pythonFrame(`
import urllib.parse, urllib.request
def call(url, kind, each):
    if kind == "json":
        request = urllib.request.Request(url, json.dumps(each["json"]).encode(), {"Content-Type": "application/json"})
    else:
        request = urllib.request.Request(url, urllib.parse.urlencode(each["fields"]).encode())
    with urllib.request.urlopen(request) as answer:
        return [answer.status, answer.read().decode()]
`);

export const httpClientProgram = pythonFrame(`
import http.client, urllib.parse
def call(url, kind, each):
    address = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port)
    if kind == "json":
        connection.request("POST", address.path, json.dumps(each["json"]), {"Content-Type": "application/json"})
    else:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", address.path, urllib.parse.urlencode(each["fields"]), form)
    answer = connection.getresponse()
    return [answer.status, answer.read().decode()]
`);

export const requestsProgram = pythonFrame(`
import requests
session = requests.Session()
def call(url, kind, each):
    answer = session.post(url, json=each["json"]) if kind == "json" else session.post(url, data=each["fields"])
    return [answer.status_code, answer.text]
`);

/** Passes a URI object. Net::HTTP of Ruby 3.1 then omits the brackets around an IPv6 address in the Host header. */
export const rubyProgram = `
require "json"
require "net/http"
answers = JSON.parse(ARGV[0]).map do |each|
  url = URI(each["url"])
  isJson = each["kind"] == "json"
  body = isJson ? JSON.generate(each["json"]) : URI.encode_www_form(each["fields"])
  type = isJson ? "application/json" : "application/x-www-form-urlencoded"
  answer = Net::HTTP.post(url, body, "Content-Type" => type)
  [answer.code.to_i, answer.body.force_encoding("UTF-8")]
end
puts JSON.generate(answers)
`;

export const perlProgram = `
use strict;
use HTTP::Tiny;
use JSON::PP;
my @answers;
for my $each (@{ decode_json($ARGV[0]) }) {
  my $answer =
    $each->{kind} eq "json"
    ? HTTP::Tiny->new->post($each->{url},
        { content => encode_json($each->{json}), headers => { "Content-Type" => "application/json" } })
    : HTTP::Tiny->new->post_form($each->{url}, $each->{fields});
  push @answers, [$answer->{status} + 0, $answer->{content}];
}
print JSON::PP->new->latin1->encode(\\@answers);
`;

const nodeFrame = (call: string) => `
${call}
const answers = [];
for (const each of JSON.parse(process.argv[1])) answers.push(await call(each));
console.log(JSON.stringify(answers));
`;

export const nodeFetchProgram = nodeFrame(`
async function call({ url, kind, json, fields }) {
  const answer =
    kind === 'json'
      ? await fetch(url, { method: 'POST', body: JSON.stringify(json), headers: { 'content-type': 'application/json' } })
      : await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  return [answer.status, await answer.text()];
}
`);

export const nodeHttpProgram = nodeFrame(`
import { request } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
async function call({ url, kind, json, fields }) {
  const type = kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  const sent = request(url, { method: 'POST', headers: { 'content-type': type } });
  sent.end(kind === 'json' ? JSON.stringify(json) : String(new URLSearchParams(fields)));
  const [answer] = await once(sent, 'response');
  return [answer.statusCode, await text(answer)];
}
`);
