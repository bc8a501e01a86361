module splwright.example/clients

go 1.23

require splwright.example/generated/client v0.0.0

require gopkg.in/validator.v2 v2.0.1 // indirect

replace splwright.example/generated/client => ../generated/go
