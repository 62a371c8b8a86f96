-- wrk -s requests.lua URL -- PLAN FIRST
--
-- Sends the requests of a plan, a folder with the files `method`, `paths` (one a line,
-- taken in turn), `headers` (`name: value`, one a line), `body` (may be empty) and
-- `texts` (one a line). In the body every @n@ becomes a number that was not sent
-- before, counted from FIRST, and every @text@ one of the texts.

local function lines(file)
  local found = {}
  for line in io.lines(file) do
    found[#found + 1] = line
  end
  return found
end

function init(args)
  local folder = args[1] .. "/"
  number = tonumber(args[2])
  at = 0
  method = lines(folder .. "method")[1]
  paths = lines(folder .. "paths")
  texts = lines(folder .. "texts")
  headers = {}
  for _, line in ipairs(lines(folder .. "headers")) do
    local name, value = line:match("^(.-): (.*)$")
    headers[name] = value
  end
  body = io.open(folder .. "body"):read("*a")
  if body == "" then
    body = nil
  end
end

local function numbered()
  number = number + 1
  return tostring(number)
end

local function said()
  return texts[(number * 7919) % #texts + 1]
end

function request()
  at = at + 1
  local sent = body
  if sent then
    sent = sent:gsub("@n@", numbered):gsub("@text@", said)
  end
  return wrk.format(method, paths[(at - 1) % #paths + 1], headers, sent)
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "microseconds": %d, "refused": %d, "broken": %d, '
      .. '"p50": %.3f, "p99": %.3f}\n',
    summary.requests, summary.duration, e.status,
    e.connect + e.read + e.write + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
