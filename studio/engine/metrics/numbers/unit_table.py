"""The table of units: dimension | symbol | factor+offset | other symbols | names.

Symbols are told apart by case ("MB", "mb"), names are not and may have a plural s.  A factor of
"1+273.15" reads: the base unit is the value times 1 plus 273.15.  Sources of the factors: the SI
brochure (9th edition) and, for customary units, NIST Handbook 44, appendix C.
"""

TABLE = """
mass|g|1||gram, gramme, gr
mass|kg|1000||kilogram, kilogramme, kilo
mass|mg|0.001||milligram, milligramme
mass|µg|0.000001|ug, μg, mcg|microgram
mass|t|1000000||tonne, metric ton, ton
mass|lb|453.59237|lbs|
mass|oz|28.349523125||ounce
mass|ozt|31.1034768|oz t, oz tr|troy ounce, troy oz
mass|ct|0.2||carat
length|m|1||metre, meter
length|km|1000||kilometre, kilometer
length|cm|0.01||centimetre, centimeter
length|mm|0.001||millimetre, millimeter
length|µm|0.000001|um, μm|micrometre, micrometer, micron
length|nm|0.000000001||nanometre, nanometer
length|in|0.0254|″|inch, inches
length|ft|0.3048|′|foot, feet
length|yd|0.9144||yard
length|mi|1609.344||mile
length|nmi|1852||nautical mile
length|ly|9460730472580800||light year, light-year, lightyear
area|m²|1|m2, m^2|square metre, square meter, sqm
area|km²|1000000|km2, km^2|square kilometre, square kilometer
area|cm²|0.0001|cm2, cm^2|square centimetre, square centimeter
area|ft²|0.09290304|ft2, ft^2|square foot, square feet, sqft
area|ha|10000||hectare
area|ac|4046.8564224||acre
volume|l|1000|L, ℓ|litre, liter
volume|ml|1|mL|millilitre, milliliter
volume|cl|10|cL|centilitre, centiliter
volume|dl|100|dL|decilitre, deciliter
volume|m³|1000000|m3, m^3|cubic metre, cubic meter
volume|cm³|1|cm3, cm^3, cc|cubic centimetre, cubic centimeter
volume|gal|3785.411784||gallon
volume|qt|946.352946||quart
volume|pt|473.176473||pint
volume|cup|236.5882365||cup
volume|tbsp|14.78676478125||tablespoon
volume|tsp|4.92892159375||teaspoon
volume|fl oz|29.5735295625||fluid ounce
time|s|1||second, sec
time|ms|0.001||millisecond, msec
time|µs|0.000001|μs|microsecond
time|ns|0.000000001||nanosecond
time|min|60||minute, mins
time|h|3600||hour, hr
time|d|86400||day
time|week|604800|wk|week
time|month|2629746|mo|month
time|yr|31556952|yrs|year
data|B|1||byte
data|kB|1000|KB, kb|kilobyte
data|MB|1000000|mb|megabyte
data|GB|1000000000|gb|gigabyte
data|TB|1000000000000|tb|terabyte
data|PB|1000000000000000||petabyte
data|KiB|1024||kibibyte
data|MiB|1048576||mebibyte
data|GiB|1073741824||gibibyte
data|TiB|1099511627776||tebibyte
data|bit|0.125||bit
data|kbit|125|Kb|kilobit
data|Mbit|125000|Mb|megabit
data|Gbit|125000000|Gb|gigabit
temperature|K|1||kelvin
temperature|°C|1+273.15|C, ℃|celsius, centigrade
temperature|°F|0.5555555555555556+255.3722222222222|F, ℉|fahrenheit
angle|degree|1|°|degree, deg
angle|rad|57.29577951308232||radian
energy|J|1||joule
energy|kJ|1000||kilojoule
energy|Wh|3600||watt hour, watt-hour
energy|kWh|3600000||kilowatt hour, kilowatt-hour
energy|MWh|3600000000||megawatt hour
energy|cal|4.184||calorie
energy|kcal|4184||kilocalorie
power|W|1||watt
power|kW|1000||kilowatt
power|MW|1000000||megawatt
power|GW|1000000000||gigawatt
power|hp|745.6998715822702||horsepower
frequency|Hz|1||hertz
frequency|kHz|1000||kilohertz
frequency|MHz|1000000||megahertz
frequency|GHz|1000000000||gigahertz
pressure|Pa|1||pascal
pressure|hPa|100||hectopascal, millibar, mbar
pressure|kPa|1000||kilopascal
pressure|bar|100000||bar
voltage|V|1||volt
current|amp|1||ampere
ratio|%|0.01|\\%, ％|percent, per cent, pct
ratio|‰|0.001||permille, per mille
ratio|bp|0.0001|bps|basis point
points|pp|1||percentage point, percentage-point
times|x|1|×|
dollar|$|1||dollar
currency:USD|USD|1|US$|us dollar, u.s. dollar, american dollar
currency:EUR|EUR|1|€|euro
currency:GBP|GBP|1|£|pound sterling, british pound, quid
currency:GBP|p|0.01||penny, pence
yen or yuan|¥|1||
currency:JPY|JPY|1|JP¥|yen, japanese yen
currency:CNY|CNY|1|CN¥, RMB|yuan, renminbi
currency:INR|INR|1|₹, Rs, Rs.|rupee, indian rupee
currency:CHF|CHF|1|Fr.|franc, swiss franc
currency:CAD|CAD|1|C$, CA$|canadian dollar
currency:AUD|AUD|1|A$, AU$|australian dollar
currency:NZD|NZD|1|NZ$|new zealand dollar
currency:HKD|HKD|1|HK$|hong kong dollar
currency:SGD|SGD|1|S$|singapore dollar
currency:BRL|BRL|1|R$|reais, brazilian real
currency:MXN|MXN|1|Mex$|mexican peso
crown|kr|1|kr.|krone, kroner, krona, kronor
currency:SEK|SEK|1||swedish krona, swedish kronor
currency:NOK|NOK|1||norwegian krone, norwegian kroner
currency:DKK|DKK|1||danish krone, danish kroner
currency:ISK|ISK|1||icelandic krona
currency:PLN|PLN|1|zł|zloty
currency:CZK|CZK|1|Kč|koruna
currency:HUF|HUF|1|Ft|forint
currency:RUB|RUB|1|₽|rouble, ruble
currency:UAH|UAH|1|₴|hryvnia
currency:TRY|TRY|1|₺|lira
currency:KRW|KRW|1|₩|korean won
currency:ILS|ILS|1|₪|shekel
currency:THB|THB|1|฿|baht
currency:VND|VND|1|₫|dong
currency:NGN|NGN|1|₦|naira
currency:ZAR|ZAR|1||rand
currency:BTC|BTC|1|₿|bitcoin
cent|¢|0.01||cent
pound|pound|1||pound
"""

QUOTIENTS = """
mi/h|mph|mile per hour, miles per hour
km/h|kph, kmh, km/hr|
nmi/h|kn, kt|knot
kbit/s|kbps|
Mbit/s|Mbps|
Gbit/s|Gbps|
"""
"""unit/unit | symbols | names."""

MEANINGS = {
    "$": ("USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN"),
    "¥": ("JPY", "CNY"),
    "kr": ("SEK", "NOK", "DKK", "ISK"),
    "degree": ("°C", "°F", "degree"),
    "pound": ("lb", "GBP"),
    "oz": ("oz", "ozt"),
}
"""Symbols that may be meant as any of several units; the first is the likeliest."""

CENTS_OF = ("USD", "EUR", "CAD", "AUD", "NZD")
